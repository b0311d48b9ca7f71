// The control of every row on one worker: the cheapest transfer of control there is, a call.
#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
namespace {

[[gnu::noinline]] void count(std::uint64_t* counter) { asm volatile("incq %0" : "+m"(*counter)); }

}  // namespace

timed control_call(std::uint64_t operations) {
  std::uint64_t seen = 0;
  void (*volatile call)(std::uint64_t*) = &count;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < operations; ++i) call(&seen);
  return judged(watch.stop(operations), seen);
}

}  // namespace bench::switching
