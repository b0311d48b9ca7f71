// Completion and join meet in one word:
//
//     running ──join──► a waiter ──completion──► done
//        ├──────────────────────── completion ──► done
//        └──detach──► detached ──completion──► freed by the one that ran it
//
// Each arrow is one atomic operation; whoever finds the other side's mark does what is left to do: the completion wakes
// the waiter, the join takes the result at once, the detach or the completion frees.
#pragma once

#include <ramie/base/assert.hpp>
#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Waiter, class Provider = native_provider>
class join_word {
 public:
  /// The one that ran it, once. Calls wake(waiter) if somebody waits. True: nobody will join, so the caller frees the
  /// task. Otherwise it must not touch it.
  template <class Wake>
  [[nodiscard]] bool complete(Wake&& wake) {
    // [K1] acq_rel: release the result to [K2], [K3], [K4]; acquire what their side has left, the waiter [K3] or the
    // task [K4]. Weaker: the joiner reads no result, or a waiter is woken before it has left its stack.
    const std::uintptr_t before = m_state.exchange(done, std::memory_order_acq_rel);
    if (before == detached) return true;
    if (before != running) wake(*reinterpret_cast<Waiter*>(before));
    return false;
  }

  [[nodiscard]] bool is_done() const {
    return m_state.load(std::memory_order_acquire) == done;  // [K2], pairs with [K1]
  }

  /// The handle's side, once. False: it is done already, nobody will wake the waiter.
  [[nodiscard]] bool set_waiter(Waiter& waiter) {
    std::uintptr_t expected = running;
    // [K3] release: the waiter is suspended and may be woken, pairs with [K1]; acquire on failure: the result.
    if (m_state.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&waiter), std::memory_order_release,
                                        std::memory_order_acquire)) {
      return true;
    }
    if (expected != done) fail("two join() calls wait on one handle at once.", "Give each fiber one joiner.");
    return false;
  }

  /// The handle's side, instead of a join. True: it is done already, so the caller frees the task.
  [[nodiscard]] bool detach() {
    std::uintptr_t expected = running;
    // [K4] release: the handle's side has left it, to whoever frees it; pairs with [K1]. acquire on failure: the result
    // of [K1], to free it.
    return !m_state.compare_exchange_strong(expected, detached, std::memory_order_release, std::memory_order_acquire);
  }

 private:
  static constexpr std::uintptr_t running = 0;
  static constexpr std::uintptr_t done = 1;
  static constexpr std::uintptr_t detached = 2;  // any other value: the address of the one that waits
  typename Provider::template atomic<std::uintptr_t> m_state{running};
};

}  // namespace ramie::detail
