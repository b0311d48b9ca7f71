#include <ramie/sync/event.hpp>

#include <ramie/base/assert.hpp>

namespace ramie::detail {

void event_destroyed() {
  fail("an event was destroyed while fibers or threads wait for it.", "Let them finish first.");
}

}  // namespace ramie::detail
