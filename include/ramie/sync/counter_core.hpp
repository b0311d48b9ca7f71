// The counter that fibers wait for, without knowing what a fiber is: the part that the model checker runs.
//
// After Gyrling, "Parallelizing the Naughty Dog Engine Using Fibers" (GDC 2015), where one fiber waits for a value of a
// counter. Here any number wait, for any targets.
//
// One word: count << 2 | waiting << 1 | locked.
//   - Nobody waits: add and subtract are one CAS each.
//   - Somebody waits: the change is made while taking the lock (the same CAS), and the list is looked through under it.
//     The lock is held for a few instructions per distinct target, however many wait.
//   - The lock is given up by a plain store, which is the holder's last access. That is why whoever returns from a wait
//     may destroy the counter at once: a count that is reached is believed only when the lock is free.
//
// Waiters with the same target and the same home form a group: a chain through work_item::next, ready to be handed over
// as it is. The group's head data lies in a `group` of its first waiter, on that one's stack.
#pragma once

#include <ramie/base/assert.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <cstdint>

namespace ramie {

class runtime;

namespace detail {

template <class Provider = std_provider>
class counter_core {
 public:
  struct group {
    std::int64_t target;
    runtime* home;  // null: kernel threads
    work_item* first = nullptr;
    work_item* last = nullptr;
    std::size_t count = 0;
    group* next = nullptr;
  };

  explicit counter_core(std::int64_t count) : m_word(pack(count)) {}
  counter_core(const counter_core&) = delete;
  counter_core& operator=(const counter_core&) = delete;

  /// Any thread; a guess by the time it is read.
  [[nodiscard]] std::int64_t value() const { return count_of(m_word.load(std::memory_order_relaxed)); }
  [[nodiscard]] bool has_waiters() const { return (m_word.load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread. True: the count is at or below the target, and nobody else touches the counter for that change any
  /// more. May say false for a moment although it is.
  [[nodiscard]] bool reached(std::int64_t target) const {
    // [W1] acquire: what was done before the decrements is seen; pairs with [W2], [W4].
    const std::uint64_t word = m_word.load(std::memory_order_acquire);
    return (word & locked) == 0 && count_of(word) <= target;
  }

  /// Any thread. Returns the groups whose target is reached by this, for the caller to wake; the counter may be gone.
  /// Adds a negative number to subtract. The count must not fall below zero.
  [[nodiscard]] group* add(std::int64_t amount) {
    for (unsigned round = 0;; ++round) {
      std::uint64_t word = m_word.load(std::memory_order_relaxed);
      const std::int64_t now = count_of(word) + amount;
      if ((word & locked) != 0) {
        wait_a_little(round);
        continue;
      }
      if (now < 0) fail_below_zero();
      if ((word & waiting) == 0) {
        // [W2] release: what the caller did before is seen by who finds the target reached; pairs with [W1], [W3].
        if (m_word.compare_exchange_weak(word, pack(now), std::memory_order_release, std::memory_order_relaxed)) {
          return nullptr;
        }
        continue;
      }
      // [W3] acquire: the list, and what others did before their decrements, which [W4] then publishes; pairs with
      // [W2], [W4].
      if (!m_word.compare_exchange_weak(word, pack(now) | waiting | locked, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        continue;
      }
      group* const reached_groups = take_groups(now);
      unlock(now);
      return reached_groups;
    }
  }

  /// Any thread. Adds `waiter`, which must have left its stack. `mine` stays valid until the waiter has been woken.
  /// False: the target is reached, nobody will wake it.
  [[nodiscard]] bool enqueue(group& mine, work_item& waiter) {
    const std::int64_t count = lock();
    if (count <= mine.target) {
      unlock(count);
      return false;
    }
    group* same = m_groups;
    while (same != nullptr && (same->target != mine.target || same->home != mine.home)) same = same->next;
    waiter.next = nullptr;
    if (same != nullptr) {
      same->last->next = &waiter;
      same->last = &waiter;
      ++same->count;
    } else {
      mine.first = mine.last = &waiter;
      mine.count = 1;
      mine.next = m_groups;
      m_groups = &mine;
    }
    unlock(count);
    return true;
  }

 private:
  static constexpr std::uint64_t locked = 1;
  static constexpr std::uint64_t waiting = 2;
  static constexpr std::uint64_t pack(std::int64_t count) { return static_cast<std::uint64_t>(count) << 2U; }
  static constexpr std::int64_t count_of(std::uint64_t word) { return static_cast<std::int64_t>(word) >> 2U; }

  std::int64_t lock() {
    for (unsigned round = 0;; ++round) {
      std::uint64_t word = m_word.load(std::memory_order_relaxed);
      if ((word & locked) != 0) {
        wait_a_little(round);
      } else if (m_word.compare_exchange_weak(word, word | locked, std::memory_order_acquire,  // as [W3]
                                              std::memory_order_relaxed)) {
        return count_of(word);
      }
    }
  }

  void unlock(std::int64_t count) {
    // [W4] release: the list, for the next holder, and everything acquired by [W3]; pairs with [W1], [W3].
    m_word.store(pack(count) | (m_groups != nullptr ? waiting : 0), std::memory_order_release);
  }

  // Under the lock: unlinks the groups whose target is at or above `count`.
  group* take_groups(std::int64_t count) {
    group* taken = nullptr;
    group** last_taken = &taken;
    group* kept = nullptr;
    for (group* each = m_groups; each != nullptr;) {
      group* const next = each->next;
      if (each->target >= count) {
        each->next = nullptr;
        *last_taken = each;
        last_taken = &each->next;
      } else {
        each->next = kept;
        kept = each;
      }
      each = next;
    }
    m_groups = kept;
    return taken;
  }

  // The lock is held for nanoseconds, unless the kernel has just taken its holder off the CPU.
  static void wait_a_little(unsigned round) {
    if (round % 64 != 63) {
      Provider::pause();
    } else {
      Provider::yield_thread();
    }
  }

  [[noreturn]] static void fail_below_zero() {
    fail("a counter was decremented below zero.", "Add to it before what decrements it can run.");
  }

  typename Provider::template atomic<std::uint64_t> m_word;
  typename Provider::template plain<group*> m_groups = nullptr;  // under the lock
};

}  // namespace detail
}  // namespace ramie
