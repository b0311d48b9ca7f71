#include <ramie/sync/semaphore.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>

#include <string>

namespace ramie::detail {

void semaphore_out_of_range(std::ptrdiff_t most) {
  fail("a semaphore was released by less than nothing, or above its max() of " + std::to_string(most) + ".",
       "Release what was acquired, and no more.");
}

void semaphore_destroyed() {
  fail("a semaphore was destroyed while fibers or threads wait for it.", "Let them finish first.");
}

void semaphore_begins_wrong(std::ptrdiff_t most) {
  throw misuse("a semaphore begins with 0 to " + std::to_string(most) + " permits");
}

}  // namespace ramie::detail
