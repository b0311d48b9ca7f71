#include <ramie/parallel/scan.hpp>

namespace ramie::detail {

void run_parts(const parallel_policy& policy, permit& may, std::size_t count, function_ref<void(std::size_t)> f) {
  const loop_work loop{[f](std::size_t at, std::size_t end) {
    for (; at != end; ++at) f(at);
  }};
  decltype(loop)::view none;
  division(loop, policy, may).run(0, count, none);
}

}  // namespace ramie::detail
