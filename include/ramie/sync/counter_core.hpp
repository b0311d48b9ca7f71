// The counter that fibers wait for, without knowing what a fiber is: the part that the model checker runs.
//
// After Gyrling, "Parallelizing the Naughty Dog Engine Using Fibers" (GDC 2015), where one fiber waits for a value of a
// counter. Here any number wait, for any targets.
//
// One word: count << 3 | early << 2 | waiting << 1 | locked. `early`: some waiter's target is above zero.
//   - Nobody waits, or all wait for zero and it is not reached: add and subtract are one CAS each.
//   - Else: the change is made while taking the lock (the same CAS), and the list is looked through under it. The lock
//     is held for a few instructions for each distinct target that is waited for, however many wait.
//   - The lock is given up by a plain store, which is the holder's last access. So a waiter may destroy the counter as
//     soon as its wait has returned: a count that is reached is believed only when the lock is free.
//
// Waiters with the same target and the same home form a group: a list of bundles, ready to be handed over as it is.
// Each waiter brings a `place` on its own stack, which becomes the next bundle of its group when the last one is full;
// the place of a group's first waiter also holds the facts about the group.
//
// A waiter that may give up would leave others without their bundle. So it brings an `arm` instead, in a list of those
// with the same target, from which it can be taken back.
#pragma once

#include <ramie/base/assert.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/wait_record.hpp>
#include <ramie/scheduler/waiter_bundle.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie {

class runtime;

namespace detail {

template <class Provider = native_provider>
class counter_core {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  using bundle_type = queue::bundle<work_item, Provider>;

  struct place {
    place(std::int64_t wanted, runtime* of) : target(wanted), home(of) {}
    place(const place&) = delete;  // `last` may point into it
    place& operator=(const place&) = delete;

    std::int64_t target;
    runtime* home;  // null: kernel threads
    // Of a group's first place:
    plain<bundle_type*> last = &bundle;
    plain<place*> next_group = nullptr;
    bundle_type bundle;
  };

  using record = wait_record<work_item, Provider>;

  class arm {
   public:
    arm(std::int64_t wanted, record& of) : m_target(wanted), m_record(of) {}
    arm(const arm&) = delete;
    arm& operator=(const arm&) = delete;

    /// The waiter, when its wait is over: whether the counter has ended it.
    [[nodiscard]] bool is_claimed() const { return m_claimed; }

   private:
    friend class counter_core;
    const std::int64_t m_target;
    record& m_record;
    // Under the lock; m_next also of reached arms, for the caller of finish_each().
    plain<bool> m_linked = false;
    plain<bool> m_claimed = false;
    plain<arm*> m_next = nullptr;      // with the same target
    plain<arm*> m_previous = nullptr;  // null: this one is the first of its target
    // Of the first of a target:
    plain<arm*> m_next_target = nullptr;
    plain<arm*> m_previous_target = nullptr;
  };

  /// The waiters whose targets a change has reached.
  struct reached_waiters {
    place* groups = nullptr;
    arm* arms = nullptr;
  };

  static constexpr std::int64_t max = (std::int64_t{1} << 60U) - 1;

  explicit counter_core(std::int64_t count) : m_word(pack(count)) {}
  counter_core(const counter_core&) = delete;
  counter_core& operator=(const counter_core&) = delete;

  /// Any thread; a guess by the time it is read.
  [[nodiscard]] std::int64_t value() const { return count_of(m_word.load(std::memory_order_relaxed)); }
  [[nodiscard]] bool has_waiters() const { return (m_word.load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread. True: the count is at or below the target, and nobody else touches the counter for that change any
  /// more. May say false for a moment although it is.
  [[nodiscard]] bool reached(std::int64_t target) const {
    // [U1] acquire: everything done before the decrements is seen; pairs with [U2], [U4].
    const std::uint64_t word = m_word.load(std::memory_order_acquire);
    return (word & locked) == 0 && count_of(word) <= target;
  }

  /// Any thread. Returns those whose target is reached by this, for the caller to wake; the counter may be gone. Adds a
  /// negative number to subtract. The result must lie between 0 and max.
  [[nodiscard]] reached_waiters add(std::int64_t amount) {
    for (unsigned round = 0;; ++round) {
      std::uint64_t word = m_word.load(std::memory_order_relaxed);
      if ((word & locked) != 0) {
        wait_a_little(round);
        continue;
      }
      std::int64_t now = 0;
      if (__builtin_add_overflow(count_of(word), amount, &now) || now < 0 || now > max) [[unlikely]] {
        fail_out_of_range(amount < 0);
      }
      if (nobody_is_reached(word, now)) [[likely]] {
        // [U2] release: a waiter that finds the target reached sees everything that the caller did before; pairs with
        // [U1], [U3].
        if (m_word.compare_exchange_weak(word, pack(now) | (word & flags), std::memory_order_release,
                                         std::memory_order_relaxed)) {
          return {};
        }
        continue;
      }
      // [U3] acquire: the list, and everything that others did before their decrements, which [U4] then publishes;
      // pairs with [U2], [U4].
      if (!m_word.compare_exchange_weak(word, pack(now) | (word & flags) | locked, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        continue;
      }
      return take_reached(now);
    }
  }

  /// Any thread. Adds `waiter`, which must have left its stack. `mine` stays valid until the waiter has been woken.
  /// False: the target is reached, nobody will wake it.
  [[nodiscard]] bool enqueue(place& mine, work_item& waiter) {
    const std::int64_t count = lock();
    if (count <= mine.target) {
      unlock(count);
      return false;
    }
    place* group = m_groups;
    while (group != nullptr && (group->target != mine.target || group->home != mine.home)) group = group->next_group;
    if (group == nullptr) {
      group = &mine;
      mine.next_group = m_groups;
      m_groups = &mine;
    } else if (group->last->count == waiter_bundle_capacity) {
      group->last->next = &mine.bundle;
      group->last = &mine.bundle;
    }
    bundle_type& last = *group->last;
    const std::size_t at = last.count;
    last.items[at] = &waiter;
    last.count = at + 1;
    unlock(count);
    return true;
  }

  /// Any thread. Adds an arm, whose waiter may still run. False: the target is reached, and nobody will claim its
  /// record.
  [[nodiscard]] bool enqueue(arm& mine) {
    const std::int64_t count = lock();
    const bool waits = count > mine.m_target;
    if (waits) link(mine);
    unlock(count);
    return waits;
  }

  /// The waiter of an arm, if its wait has ended for another reason than this counter. Nobody touches it afterwards.
  /// True: the target was reached all the same.
  bool withdraw(arm& mine) {
    const std::int64_t count = lock();
    const bool reached = !mine.m_linked;
    if (!reached) unlink(mine);
    unlock(count);
    return reached;
  }

  /// For what add() has returned, each once: wake(waiter) for those that sleep.
  template <class Wake>
  static void finish_each(arm* reached, Wake&& wake) {
    while (reached != nullptr) {
      arm* const next = reached->m_next;
      if (work_item* const sleeper = reached->m_record.finish()) wake(*sleeper);
      reached = next;
    }
  }

  /// For what add() has returned. A group lies on the stack of one of its waiters, so nothing of it is read after
  /// wake(group), which wakes all of them.
  template <class Wake>
  static void for_each_group(place* group, Wake&& wake) {
    while (group != nullptr) {
      place* const next = group->next_group;
      wake(*group);
      group = next;
    }
  }

 private:
  static constexpr std::uint64_t locked = 1;
  static constexpr std::uint64_t waiting = 2;
  static constexpr std::uint64_t early = 4;
  static constexpr std::uint64_t flags = locked | waiting | early;
  static constexpr std::uint64_t pack(std::int64_t count) { return static_cast<std::uint64_t>(count) << 3U; }
  static constexpr std::int64_t count_of(std::uint64_t word) { return static_cast<std::int64_t>(word) >> 3U; }
  // The flags are in the word that the CAS compares, so a waiter that comes in between makes it fail.
  static constexpr bool nobody_is_reached(std::uint64_t word, std::int64_t now) {
    return (word & waiting) == 0 || ((word & early) == 0 && now > 0);
  }

  std::int64_t lock() {
    for (unsigned round = 0;; ++round) {
      std::uint64_t word = m_word.load(std::memory_order_relaxed);
      if ((word & locked) != 0) {
        wait_a_little(round);
      } else if (m_word.compare_exchange_weak(word, word | locked, std::memory_order_acquire,  // as [U3]
                                              std::memory_order_relaxed)) {
        return count_of(word);
      }
    }
  }

  void unlock(std::int64_t count) {
    // [U4] release: the list, for the next holder, and everything acquired by [U3]; pairs with [U1], [U3].
    std::uint64_t word = pack(count);
    for (const place* each = m_groups; each != nullptr; each = each->next_group) {
      word |= each->target > 0 ? waiting | early : waiting;
    }
    if (m_arms != nullptr) word |= m_early_targets != 0 ? waiting | early : waiting;
    m_word.store(word, std::memory_order_release);
  }

  // Under the lock, which it gives up.
  reached_waiters take_reached(std::int64_t now) {
    const reached_waiters taken{take_groups(now), m_arms != nullptr ? take_arms(now) : nullptr};
    unlock(now);
    return taken;
  }

  // Under the lock: unlinks the groups whose target is at or above `count`.
  place* take_groups(std::int64_t count) {
    place* taken = nullptr;
    place* kept = nullptr;
    for (place* each = m_groups; each != nullptr;) {
      place* const next = each->next_group;
      place*& list = each->target >= count ? taken : kept;
      each->next_group = list;
      list = each;
      each = next;
    }
    m_groups = kept;
    return taken;
  }

  // Under the lock: unlinks the arms whose target is at or above `count`. Returns the arms whose wait this decides; the
  // others are not touched any more.
  [[gnu::noinline]] arm* take_arms(std::int64_t count) {
    arm* taken = nullptr;
    for (arm* first = m_arms; first != nullptr;) {
      arm* const next_target = first->m_next_target;
      if (first->m_target >= count) {
        unlink_target(*first, nullptr);
        for (arm* each = first; each != nullptr;) {
          arm* const next = each->m_next;
          each->m_linked = false;
          if (each->m_record.claim(wake_reason::woken)) {
            each->m_claimed = true;
            each->m_next = taken;
            taken = each;
          }
          each = next;
        }
      }
      first = next_target;
    }
    return taken;
  }

  void link(arm& added) {
    added.m_linked = true;
    arm* first = m_arms;
    while (first != nullptr && first->m_target != added.m_target) first = first->m_next_target;
    if (first != nullptr) {  // behind the first one, which has the links to other targets
      arm* const second = first->m_next;
      added.m_previous = first;
      added.m_next = second;
      first->m_next = &added;
      if (second != nullptr) second->m_previous = &added;
      return;
    }
    added.m_previous = nullptr;
    added.m_next = nullptr;
    added.m_previous_target = nullptr;
    added.m_next_target = m_arms;
    if (m_arms != nullptr) m_arms->m_previous_target = &added;
    m_arms = &added;
    if (added.m_target > 0) m_early_targets = m_early_targets + 1;
  }

  void unlink(arm& gone) {
    gone.m_linked = false;
    arm* const before = gone.m_previous;
    arm* const behind = gone.m_next;
    if (behind != nullptr) behind->m_previous = before;
    if (before != nullptr) {
      before->m_next = behind;
    } else {
      unlink_target(gone, behind);
    }
  }

  // The first of a target goes, and the second, if there is one, takes its place.
  void unlink_target(arm& first, arm* second) {
    arm* const before = first.m_previous_target;
    arm* const behind = first.m_next_target;
    arm* const in_between = second != nullptr ? second : behind;
    if (second != nullptr) {
      second->m_previous_target = before;
      second->m_next_target = behind;
    } else if (first.m_target > 0) {
      m_early_targets = m_early_targets - 1;
    }
    if (before != nullptr) {
      before->m_next_target = in_between;
    } else {
      m_arms = in_between;
    }
    if (behind != nullptr) behind->m_previous_target = second != nullptr ? second : before;
  }

  // The lock is held for nanoseconds, unless the kernel has just taken its holder off the CPU.
  static void wait_a_little(unsigned round) {
    if (round % 64 != 63) {
      Provider::pause();
    } else {
      Provider::yield_thread();
    }
  }

  [[noreturn, gnu::cold]] static void fail_out_of_range(bool below) {
    if (below) fail("a counter was decremented below zero.", "Add to it before what decrements it can run.");
    fail("a counter was raised above 2^60 - 1.", "Look for an add() that has no decrement().");
  }

  typename Provider::template atomic<std::uint64_t> m_word;
  // Under the lock:
  plain<place*> m_groups = nullptr;
  plain<arm*> m_arms = nullptr;  // the first of each target
  plain<std::size_t> m_early_targets = 0;
};

}  // namespace detail
}  // namespace ramie
