// The counting semaphore, without knowing what a fiber is: the part that the model checker runs.
//
// One word: count << 2 | waiting << 1 | locked. While nobody waits, acquire and release are one compare-exchange each.
// The waiters are served in the order in which they came, and before callers that come later.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class semaphore_core {
 public:
  using node = wait_node<Provider>;

  static constexpr std::ptrdiff_t max = (std::ptrdiff_t{1} << 61U) - 1;

  constexpr explicit semaphore_core(std::ptrdiff_t count) : m_word(pack(count)) {}

  [[nodiscard]] bool has_waiters() const { return (m_word.word().load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread.
  [[nodiscard]] bool try_acquire() {
    std::uint64_t word = m_word.word().load(std::memory_order_relaxed);
    for (;;) {
      if ((word & lockable::locked) != 0) {
        word = m_word.lock();
        m_word.unlock(word);
      }
      if ((word & waiting) != 0 || count_of(word) == 0) return false;
      // [H1] acquire: what was done before the release is seen; pairs with [H2], and with the unlock. Weaker: the
      // caller has a permit, and not what it stands for.
      if (m_word.word().compare_exchange_weak(word, word - one, std::memory_order_acquire, std::memory_order_relaxed)) {
        return true;
      }
    }
  }

  /// Any thread. False: the count would be above `most`; nothing has changed. Wakes by wake(waiter).
  template <class Wake>
  [[nodiscard]] bool release(std::ptrdiff_t amount, std::ptrdiff_t most, Wake&& wake) {
    std::uint64_t word = m_word.word().load(std::memory_order_relaxed);
    while ((word & (lockable::locked | waiting)) == 0) {
      if (amount > most - count_of(word)) return false;
      // [H2] release: what was done before; pairs with [H1], and with [L1] for a waiter that comes in between.
      if (m_word.word().compare_exchange_weak(word, word + pack(amount), std::memory_order_release,
                                              std::memory_order_relaxed)) {
        return true;
      }
    }
    word = m_word.lock();
    std::ptrdiff_t count = count_of(word);
    if (amount > most - count) {
      m_word.unlock(word);
      return false;
    }
    count += amount;
    woken_waiters<Provider> woken;
    for (; count > 0; --count) {
      node* const next = m_waiters.pop_claimed();
      if (next == nullptr) break;
      woken.add(*next);
    }
    unlock(count);
    woken.wake_each(wake);
    return true;
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    std::ptrdiff_t count = count_of(m_word.lock());
    const bool there = count > 0 && m_waiters.empty();
    if (!there) {
      m_waiters.push_back(mine);
    } else if (mine.claim_at_once()) {
      --count;
    }
    unlock(count);
    return !there;
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

  void unlock(std::ptrdiff_t count) { m_word.unlock(pack(count) | (m_waiters.empty() ? 0 : waiting)); }

  lockable m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
