// The mutex, without knowing what a fiber is: the part that the model checker runs.
//
// One word: turn << 3 | waiting << 2 | held << 1 | locked; `locked` is the lock of the list of waiters. While nobody
// waits, lock and unlock are one compare-exchange each.
//
// The rule against convoys. An unlock lets the mutex free and gives its first waiter the *turn*: the waiter is woken
// and tries for the mutex, like everybody who comes meanwhile. So whoever runs goes on taking the mutex without a
// switch for as long as the woken waiter is on its way; handed to that waiter, the mutex would lie idle for that time,
// and all who come would have to queue. There is one turn: until the waiter that has it takes the mutex, or waits
// again, unlocks wake nobody.
//
// A waiter that finds the mutex taken in its turn has *lost*. It goes back to the front of the list, and the next
// unlock hands it the mutex, which stays held from owner to owner. So a waiter is overtaken only from the moment it is
// woken until it runs, once, and nobody starves. (Go's mutex does the second only to those that have waited for 1 ms.
// That bounds nothing for those behind them, needs a clock, and lets a waiter be woken for nothing any number of
// times.)
//
// Nothing is lost between a turn and a deadline: a waiter is given the turn as other objects give what is waited for,
// by a claim, so a wait that has timed out has not got it; whoever has it tries the mutex, whatever its deadline says;
// and where it waits again, and that wait ends otherwise, or cannot begin, withdraw() gives the turn to the next.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider>
class mutex_core;

template <class Provider = native_provider>
class mutex_node : public wait_node<Provider> {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  /// The waiter, when its wait has ended as woken. False: it has the turn.
  [[nodiscard]] bool owns() const { return m_owns; }
  [[nodiscard]] bool has_turn() const { return m_has_turn; }

 private:
  friend class mutex_core<Provider>;
  // With the lock of the list; after the wake-up the waiter's own.
  plain<bool> m_owns = false;
  plain<bool> m_has_turn = false;
  plain<bool> m_has_lost = false;
};

template <class Provider = native_provider>
class mutex_core {
 public:
  using node = mutex_node<Provider>;

  constexpr mutex_core() = default;

  [[nodiscard]] bool is_held() const { return (m_word.load(std::memory_order_relaxed) & held) != 0; }
  [[nodiscard]] bool has_waiters() const { return (m_word.load(std::memory_order_relaxed) & (waiting | turn)) != 0; }

  /// Where nobody has it or waits for it.
  [[nodiscard, gnu::always_inline]] bool lock_quickly() {
    std::uint64_t word = 0;
    // [M1] acquire: what the owner before has done; pairs with [M2]. Weaker: it is not seen.
    return m_word.word().compare_exchange_weak(word, held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// Where nobody waits.
  [[nodiscard, gnu::always_inline]] bool unlock_quickly() {
    std::uint64_t word = held;
    // [M2] release: what the owner has done; pairs with [M1], [M3], and [L1].
    return m_word.word().compare_exchange_weak(word, 0, std::memory_order_release, std::memory_order_relaxed);
  }

  [[nodiscard]] bool try_lock() { return take(0); }
  /// The waiter, where it has been woken and does not own the mutex.
  [[nodiscard]] bool try_lock_in_turn(node& mine) {
    const bool got = take(turn);
    got ? mine.m_has_turn = false : mine.m_has_lost = true;
    return got;
  }

  /// The owner. False: nobody has it. Wakes by wake(waiter).
  template <class Wake>
  [[nodiscard]] bool unlock(Wake&& wake) {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    while ((word & word_type::locked) == 0 && (word & (waiting | turn)) != waiting) {
      if ((word & held) == 0) return false;
      if (m_word.word().compare_exchange_weak(word, word & ~held, std::memory_order_release, std::memory_order_relaxed))
        return true;  // [M2]
    }
    word = m_word.lock();
    const bool was_held = (word & held) != 0;
    woken_waiters<Provider> woken;
    word &= ~held;
    if (was_held && (word & turn) == 0) word = give_turn(word, woken);
    give_up_list(word);
    woken.wake_each(wake);
    return was_held;
  }

  enum class handed : std::uint8_t { to_waiter, to_nobody, not_held };
  /// The owner: the mutex becomes the first waiter's, which is to be woken by finish().
  [[nodiscard]] handed unlock_to_next(node*& next) {
    if (unlock_quickly()) return handed::to_nobody;
    std::uint64_t word = m_word.lock();
    if ((word & held) == 0) {
      m_word.unlock(word);
      return handed::not_held;
    }
    next = static_cast<node*>(m_waiters.pop_claimed());
    if (next != nullptr) {
      next->m_owns = true;
    } else {
      word &= ~held;
    }
    give_up_list(word);
    return next != nullptr ? handed::to_waiter : handed::to_nobody;
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    std::uint64_t word = m_word.lock();
    const bool there = (word & held) == 0;
    if (!there || mine.claim_at_once()) {
      if (!there) {
        mine.m_has_turn ? m_waiters.push_front(mine) : m_waiters.push_back(mine);
      } else {
        mine.m_owns = true;
        word |= held;
      }
      if (mine.m_has_turn) word &= ~turn;
      mine.m_has_turn = false;
    }
    give_up_list(word);
    return !there;
  }
  template <class Wake>
  void withdraw(node& mine, Wake&& wake) {
    std::uint64_t word = m_word.lock();
    m_waiters.remove(mine);
    woken_waiters<Provider> woken;
    if (mine.m_has_turn) {
      mine.m_has_turn = false;
      word &= ~turn;
      if ((word & held) == 0) word = give_turn(word, woken);
    }
    give_up_list(word);
    woken.wake_each(wake);
  }

 private:
  using word_type = locked_word<Provider>;
  static constexpr std::uint64_t held = 2;
  static constexpr std::uint64_t waiting = 4;  // somebody is in the list
  static constexpr std::uint64_t turn = 8;     // and a waiter that was there is on its way

  [[nodiscard]] bool take(std::uint64_t cleared) {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    while ((word & held) == 0) {
      if ((word & word_type::locked) != 0) {
        word = m_word.lock();
        const bool got = (word & held) == 0;
        m_word.unlock(got ? (word | held) & ~cleared : word);
        return got;
      }
      // [M3] acquire, as [M1].
      if (m_word.word().compare_exchange_weak(word, (word | held) & ~cleared, std::memory_order_acquire,
                                              std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  // With the list, where the mutex is free. Returns the word as it then is.
  [[nodiscard]] std::uint64_t give_turn(std::uint64_t word, woken_waiters<Provider>& woken) {
    auto* const next = static_cast<node*>(m_waiters.pop_claimed());
    if (next == nullptr) return word;
    woken.add(*next);
    if (next->m_has_lost) {
      next->m_owns = true;
      return word | held;
    }
    next->m_has_turn = true;
    return word | turn;
  }

  void give_up_list(std::uint64_t word) { m_word.unlock((word & ~waiting) | (m_waiters.empty() ? 0 : waiting)); }

  word_type m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
