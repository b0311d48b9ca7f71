// ramie's bare switch in the suite `switch`: no runtime, no fiber.
#include <ramie/context/switch_to.hpp>

#include <memory>

#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
namespace {

struct pair_of_contexts {
  ramie::context::machine_context here;
  ramie::context::machine_context there;
};

void far_side(void* message, void* argument) {
  auto& pair = *static_cast<pair_of_contexts*>(argument);
  for (;;) {
    ++*static_cast<std::uint64_t*>(message);
    message = ramie::context::switch_to(pair.there, pair.here, nullptr);
  }
}

}  // namespace

timed ramie_raw(std::uint64_t operations) {
  const auto stack = std::make_unique<char[]>(stack_bytes);
  void* top = stack.get() + stack_bytes;
  top = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  pair_of_contexts pair;
  std::uint64_t seen = 0;
  ramie::context::make_context(pair.there, top, &far_side, &pair);

  const std::uint64_t trips = (operations + 1) / 2;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < trips; ++i) ramie::context::switch_to(pair.here, pair.there, &seen);
  return judged(watch.stop(trips * 2), seen * 2);
}

}  // namespace bench::switching
