#include <ramie/sync/latch.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>

#include <string>

namespace ramie::detail {

void latch_begins_wrong(std::ptrdiff_t most) {
  throw misuse("a latch begins with a count of 0 to " + std::to_string(most));
}

void latch_below_zero() {
  fail("a latch was counted down by less than nothing, or below zero.",
       "Count down as often as its constructor was told, and no more.");
}

void latch_destroyed() { fail("a latch was destroyed while fibers or threads wait for it.", "Let them finish first."); }

}  // namespace ramie::detail
