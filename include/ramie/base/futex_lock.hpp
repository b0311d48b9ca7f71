// A mutex of one word, for slow paths: sleeping workers' list, injector, `locked` queue, depots.
//
// Drepper, "Futexes Are Tricky" (2011), the third mutex: 0 free, 1 held, 2 held and someone may sleep. Spins briefly
// first, because the protected code takes nanoseconds. It blocks the kernel thread, so no fiber may switch while it
// holds one.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie {

template <class Provider = native_provider>
class futex_lock {
 public:
  void lock() {
    if (try_lock()) return;
    lock_slow();
  }

  [[nodiscard]] bool try_lock() {
    std::uint32_t free = 0;
    // [F1] acquire: the writes of the last holder are seen; pairs with [F3]. Weaker: stale protected data.
    return m_state.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
  }

  void unlock() {
    // [F3] release: publishes the protected data; pairs with [F1], [F2].
    if (m_state.exchange(0, std::memory_order_release) == 2) Provider::futex_wake(m_state, 1);
  }

 private:
  void lock_slow() {
    for (int i = 0; i < Provider::spins(64); ++i) {
      Provider::pause();
      if (m_state.load(std::memory_order_relaxed) == 0 && try_lock()) return;
    }
    // [F2] acquire, as [F1]. From here on the word says 2: unlock must wake, for others may sleep too.
    while (m_state.exchange(2, std::memory_order_acquire) != 0) Provider::futex_wait(m_state, 2);
  }

  typename Provider::template atomic<std::uint32_t> m_state{0};
};

namespace detail {
template <class Provider>
struct lock_of {
  using type = futex_lock<Provider>;
};
}  // namespace detail

/// The lock of other structures. A model, which checks futex_lock by itself, specializes detail::lock_of for its
/// provider.
template <class Provider = native_provider>
using lock_of = typename detail::lock_of<Provider>::type;

}  // namespace ramie
