// A task's end, and the threads that wait for it: any number of them.
//
//     running ──add──► the newest waiter, and those linked to it ──complete──► ended
//        ├─────────────────────────── complete ──────────────────────────────► ended
//        └──abandon──► nobody wants it ──complete──► the one that ran it gives the future up
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::pool {

/// Waiter has a `Waiter* next`. It lies on the stack of the one that waits.
template <class Waiter, class Provider = native_provider>
class end_word {
 public:
  [[nodiscard]] bool has_ended() const {
    return m_word.load(std::memory_order_acquire) == ended;  // [N2], pairs with [N1]
  }

  /// Any thread. False: it has ended, nobody will wake the waiter.
  [[nodiscard]] bool add(Waiter& waiter) {
    std::uintptr_t seen = m_word.load(std::memory_order_acquire);  // [N2]
    while (seen != ended) {
      waiter.next = reinterpret_cast<Waiter*>(seen);
      // [N3] release: the waiter and its link, also where others put themselves before it later; pairs with [N1].
      // acquire on failure: [N2].
      if (m_word.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(&waiter), std::memory_order_release,
                                       std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  /// The user, instead of waiting. False: it has ended.
  [[nodiscard]] bool abandon() {
    std::uintptr_t expected = running;
    // [N4] release: the user's last access; pairs with [N1]. acquire on failure: [N2].
    return m_word.compare_exchange_strong(expected, abandoned, std::memory_order_release, std::memory_order_acquire);
  }

  /// The one that ran it, once. Calls wake(waiter) for those that wait, after it has read the waiter's link. True:
  /// nobody wants the result, so the caller gives the future up. Otherwise it must not touch it any more.
  template <class Wake>
  [[nodiscard]] bool complete(Wake&& wake) {
    // [N1] acq_rel: release the result, to [N2]; acquire what the others have left, waiters [N3] or the future [N4].
    // Weaker: a waiter reads no result, or its link is read before it is written.
    const std::uintptr_t before = m_word.exchange(ended, std::memory_order_acq_rel);
    if (before == running) [[likely]]
      return false;
    if (before == abandoned) return true;
    for (auto* each = reinterpret_cast<Waiter*>(before); each != nullptr;) {
      Waiter& woken = *each;
      each = woken.next;
      wake(woken);
    }
    return false;
  }

 private:
  static constexpr std::uintptr_t running = 0;  // and the end of the list
  static constexpr std::uintptr_t ended = 1;
  static constexpr std::uintptr_t abandoned = 2;
  typename Provider::template atomic<std::uintptr_t> m_word{running};
};

}  // namespace ramie::pool
