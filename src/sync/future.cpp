#include <ramie/sync/async.hpp>

#include <ramie/base/error.hpp>

namespace ramie::detail {

void throw_future_error(std::future_errc code) { throw std::future_error(code); }

void no_launch_policy() { throw misuse("async() needs launch::async, launch::deferred, or both"); }

void future_state_base::abandon() noexcept {
  if (!take_right()) return;
  publish_error(std::make_exception_ptr(std::future_error(std::future_errc::broken_promise)));
}

}  // namespace ramie::detail
