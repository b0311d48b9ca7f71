// Not for users.
//
// Events, without knowing what a fiber is: the part that the model checker runs.
//
// One word: is_set << 2 | waiting << 1 | locked. An event that is set has no waiters: a manual one lets all of them go,
// and an automatic one gives its signal to the first of them instead of keeping it. While nobody waits, each call is
// one compare-exchange.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstdint>

namespace ramie::detail {

/// `manual` stays set until somebody resets it; `automatic` until somebody has been let through.
enum class event_kind : std::uint8_t { manual, automatic };

template <event_kind Kind, class Provider = native_provider>
class event_core {
 public:
  using node = wait_node<Provider>;

  constexpr explicit event_core(bool set = false) : m_word(set ? is_set : 0) {}

  [[nodiscard]] bool has_waiters() const { return (m_word.word().load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread. Manual: it is set. An event that is found set is not touched any more by the thread that has set it.
  [[nodiscard]] bool is_set_now() const {
    // [E1] acquire: what was done before the event was set is seen; pairs with [E2], and with the unlock. Weaker: the
    // caller goes on without what it has waited for.
    return (m_word.word().load(std::memory_order_acquire) & is_set) != 0;
  }

  /// Any thread. The event is not set any more. Returns whether it was: to one caller for each set().
  [[nodiscard]] bool take() {
    std::uint64_t word = m_word.word().load(std::memory_order_relaxed);
    for (;;) {
      if ((word & lockable::locked) != 0) {
        word = m_word.lock();
        m_word.unlock(word);
      }
      if ((word & is_set) == 0) return false;
      // [E3] acquire: as [E1]. Weaker: a caller that resets the event, and then looks at what it was set for, finds
      // nothing, and the event says nothing either.
      if (m_word.word().compare_exchange_weak(word, word & ~is_set, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
        return true;
      }
    }
  }

  /// Any thread. Wakes by wake(waiter).
  template <class Wake>
  void set(Wake&& wake) {
    std::uint64_t word = m_word.word().load(std::memory_order_relaxed);
    while ((word & (lockable::locked | waiting)) == 0) {
      // [E2] release: what was done before; pairs with [E1], [E3], and with [L1] for a waiter that comes in between.
      // Also where the event is set already: one wait then stands for two calls of set(), and sees what was done before
      // either of them.
      if (m_word.word().compare_exchange_weak(word, word | is_set, std::memory_order_release,
                                              std::memory_order_relaxed)) {
        return;
      }
    }
    std::uint64_t bits = m_word.lock() | is_set;
    woken_waiters<Provider> woken;
    while (node* const next = m_waiters.pop_claimed()) {
      woken.add(*next);
      if (Kind == event_kind::automatic) {
        bits &= ~is_set;
        break;
      }
    }
    unlock(bits);
    woken.wake_each(wake);
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    std::uint64_t bits = m_word.lock();
    // A manual event has let everybody go who waited when it was set.
    const bool there = (bits & is_set) != 0 || (Kind == event_kind::manual && mine.was_passed());
    if (!there) {
      m_waiters.push_back(mine);
    } else if (mine.claim_at_once() && Kind == event_kind::automatic) {
      bits &= ~is_set;
    }
    unlock(bits);
    return !there;
  }
  void withdraw(node& mine) {
    const std::uint64_t bits = m_word.lock();
    m_waiters.remove(mine);
    unlock(bits);
  }

 private:
  using lockable = locked_word<Provider>;
  static constexpr std::uint64_t waiting = 2;
  static constexpr std::uint64_t is_set = 4;

  void unlock(std::uint64_t bits) { m_word.unlock((bits & is_set) | (m_waiters.empty() ? 0 : waiting)); }

  lockable m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
