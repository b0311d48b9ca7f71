// glibc's swapcontext: saves the signal mask, with a system call, at every switch.
#include <memory>
#include <ucontext.h>

#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
namespace {

struct pair_of_contexts {
  ucontext_t here{};
  ucontext_t there{};
  std::uint64_t seen = 0;
};

// makecontext passes ints only; one thread runs this benchmark at a time.
pair_of_contexts* current = nullptr;

void far_side() {
  pair_of_contexts* const pair = current;
  for (;;) {
    ++pair->seen;
    swapcontext(&pair->there, &pair->here);
  }
}

}  // namespace

timed ucontext_raw(std::uint64_t operations) {
  const auto stack = std::make_unique<char[]>(stack_bytes);
  pair_of_contexts pair;
  current = &pair;
  getcontext(&pair.there);
  pair.there.uc_stack.ss_sp = stack.get();
  pair.there.uc_stack.ss_size = stack_bytes;
  pair.there.uc_link = nullptr;
  makecontext(&pair.there, &far_side, 0);

  const std::uint64_t trips = (operations + 1) / 2;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < trips; ++i) swapcontext(&pair.here, &pair.there);
  return judged(watch.stop(trips * 2), pair.seen * 2);
}

}  // namespace bench::switching
