#include <ramie/sync/wait_group.hpp>

#include <ramie/base/assert.hpp>

namespace ramie::detail {

void wait_group_out_of_range() {
  fail("the count of a wait_group has fallen below zero, or risen above 2^61 - 1.", "Call done() once for each add().");
}

void wait_group_destroyed() {
  fail("a wait_group was destroyed while fibers or threads wait for it.", "Let them finish first.");
}

}  // namespace ramie::detail
