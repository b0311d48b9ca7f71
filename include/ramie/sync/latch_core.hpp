// Not for users.
//
// A count that is waited for to be zero, without knowing what a fiber is: the part of latches and wait groups that the
// model checker runs.
//
// One word: count << 2 | waiting << 1 | locked. A change is one compare-exchange, also while somebody waits; only the
// one that makes the count zero then takes the lock, and takes out all waiters.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class latch_core {
 public:
  using node = wait_node<Provider>;

  static constexpr std::ptrdiff_t max = (std::ptrdiff_t{1} << 61U) - 1;

  constexpr explicit latch_core(std::ptrdiff_t count) : m_word(pack(count)) {}

  [[nodiscard]] bool has_waiters() const { return (m_word.word().load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread. True: nobody touches the object for the change that made it zero any more.
  [[nodiscard]] bool is_zero() const {
    // [C1] acquire: what was done before each decrement is seen; pairs with [C2], and with the unlock. Weaker: the
    // caller goes on without what it has waited for.
    return count_of(m_word.word().load(std::memory_order_acquire)) == 0;
  }

  /// Any thread. False: the count would be below zero, or above max; nothing has changed. Wakes by wake(waiter).
  template <class Wake>
  [[nodiscard]] bool add(std::ptrdiff_t amount, Wake&& wake) {
    std::ptrdiff_t count = 0;
    std::uint64_t word = m_word.word().load(std::memory_order_relaxed);
    while ((word & lockable::locked) == 0) {
      if (!sum_is_valid(word, amount, count)) return false;
      if (count == 0 && (word & waiting) != 0) break;
      // [C2] release: what was done before; pairs with [C1], and with [L1] for a waiter that comes later, and for the
      // last decrement. Those between are read-modify-writes too, so that one read of the last one sees all.
      if (m_word.word().compare_exchange_weak(word, pack(count) | (word & waiting), std::memory_order_release,
                                              std::memory_order_relaxed)) {
        return true;
      }
    }
    word = m_word.lock();
    if (!sum_is_valid(word, amount, count)) {
      m_word.unlock(word);
      return false;
    }
    woken_waiters<Provider> woken;
    if (count == 0) {
      while (node* const next = m_waiters.pop_claimed()) woken.add(*next);
    }
    unlock(count);
    woken.wake_each(wake);
    return true;
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    const std::ptrdiff_t count = count_of(m_word.lock());
    const bool waits = count != 0 && !mine.was_passed();  // passed: it has been zero
    if (waits) {
      m_waiters.push_back(mine);
    } else {
      static_cast<void>(mine.claim_at_once());
    }
    unlock(count);
    return waits;
  }
  void withdraw(node& mine) {
    const std::ptrdiff_t count = count_of(m_word.lock());
    m_waiters.remove(mine);
    unlock(count);
  }

 private:
  using lockable = locked_word<Provider>;
  static constexpr std::uint64_t waiting = 2;
  static constexpr std::uint64_t one = 4;
  static constexpr std::uint64_t pack(std::ptrdiff_t count) { return static_cast<std::uint64_t>(count) * one; }
  static constexpr std::ptrdiff_t count_of(std::uint64_t word) { return static_cast<std::ptrdiff_t>(word / one); }

  static bool sum_is_valid(std::uint64_t word, std::ptrdiff_t amount, std::ptrdiff_t& sum) {
    return !__builtin_add_overflow(count_of(word), amount, &sum) && sum >= 0 && sum <= max;
  }
  void unlock(std::ptrdiff_t count) { m_word.unlock(pack(count) | (m_waiters.empty() ? 0 : waiting)); }

  lockable m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
