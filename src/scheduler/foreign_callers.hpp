// Threads inside a runtime that does not know them.
//
// A thread that makes a fiber ready from outside is in no way known to the fiber's runtime: the fiber may run and end,
// and the runtime be destroyed, before that thread has looked at the gate. So it is counted while it is inside, and the
// destructor waits.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class foreign_callers {
 public:
  /// Before the push that may end the run.
  void enter() {
    // relaxed: the push that comes next publishes it.
    m_inside.fetch_add(1, std::memory_order_relaxed);
  }

  /// The caller's last access.
  void leave() {
    // [V1] release: all that the caller did in the runtime is over before this is seen; pairs with [V2].
    m_inside.fetch_sub(1, std::memory_order_release);
  }

  /// The destructor, when no fiber is left.
  void wait_until_gone() const {
    // [V2] acquire: the caller's last access is over; pairs with [V1]. Weaker: it looks at a gate that is gone.
    while (m_inside.load(std::memory_order_acquire) != 0) Provider::yield_thread();  // on their way out
  }

 private:
  typename Provider::template atomic<std::uint32_t> m_inside{0};
};

}  // namespace ramie::detail
