#include <ramie/sync/channel_ends.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>

#include <string>

namespace ramie::detail {

void channel_destroyed() {
  fail("a channel was destroyed while fibers or threads wait for it.", "close() it and let them finish first.");
}

void channel_too_large(std::size_t most) {
  throw misuse("a channel of such items has a capacity of " + std::to_string(most) +
               " at most; channel<T>::unbounded has none");
}

void channel_end_is_empty(const char* side) {
  throw misuse(std::string("a ") + side + " without a channel was used: it was moved from, or reset");
}

channel_status status_of(wake_reason not_woken) {
  return not_woken == wake_reason::timed_out ? channel_status::timed_out : channel_status::cancelled;
}

}  // namespace ramie::detail
