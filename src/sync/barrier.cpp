#include <ramie/sync/barrier.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>

#include <string>

namespace ramie::detail {

void barrier_begins_wrong(std::ptrdiff_t most) {
  throw misuse("a barrier expects 0 to " + std::to_string(most) + " arrivals");
}

void barrier_arrived_too_often() {
  fail("more, or fewer than one, arrived at a barrier than its phase still expects.",
       "Let each party arrive once a phase.");
}

void barrier_destroyed() {
  fail("a barrier was destroyed while fibers or threads wait for it.", "Let them finish first.");
}

}  // namespace ramie::detail
