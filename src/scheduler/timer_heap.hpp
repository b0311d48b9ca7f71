// Deadlines of waits: one heap a worker.
//
// A timer lies on the waiter's stack and knows its place in the heap, so that it is taken out in O(log n) when the wait
// ends before its deadline, as most do. A node has four children, 64 bytes next to each other (LaMarca,
// Ladner, "The Influence of Caches on the Performance of Heaps", JEA 1996).
//
// Each heap has a lock, held for one operation: the owner adds timers, a waiter that goes on takes its timer out on
// whatever worker it is then, and any worker may expire the timers that are due, so that those of a worker with a long
// task do not wait for it.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/deadline.hpp>
#include <ramie/scheduler/wait_record.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace ramie::detail {

template <class Waiter, class Provider = native_provider>
class timer_heap {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  using record = wait_record<Waiter, Provider>;

  class timer {
   public:
    timer(record& of, deadline_ns when) : m_record(of), m_when(when) {}
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;
    [[nodiscard]] deadline_ns when() const { return m_when; }

   private:
    friend class timer_heap;
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    record& m_record;
    const deadline_ns m_when;
    plain<std::size_t> m_place = nowhere;  // under the lock of its heap
    plain<timer*> m_next_due = nullptr;    // of the timers that expire() has taken out
  };

  timer_heap() = default;
  timer_heap(const timer_heap&) = delete;
  timer_heap& operator=(const timer_heap&) = delete;

  /// The owner. True: it is the earliest one now. Throws std::bad_alloc; the timer is then not in it.
  [[nodiscard]] bool add(timer& fresh) {
    const std::lock_guard guard(m_lock);
    entries& heap = Provider::writing(m_heap);
    heap.push_back({fresh.m_when, &fresh});
    move_up(heap, heap.size() - 1);
    publish_earliest(heap);
    return fresh.m_place == 0;
  }

  /// The waiter, after its wait. Nobody touches the timer when it returns.
  void take_back(timer& mine) {
    const std::lock_guard guard(m_lock);
    if (mine.m_place == timer::nowhere) return;
    entries& heap = Provider::writing(m_heap);
    remove(heap, mine.m_place);
    publish_earliest(heap);
  }

  /// Any thread, without the lock: a guess, late by one operation. A sleeper sees a deadline that comes while it falls
  /// asleep: the order of the steps in timekeeper.hpp provides for it.
  [[nodiscard]] deadline_ns earliest() const { return m_earliest.load(std::memory_order_relaxed); }

  /// Any thread. Ends waits whose deadlines lie at or before `now`, the earliest first, and a few hundred at most, so
  /// that the lock is not held for long, and the waiters do not wait long for one another. Calls wake(waiter) for each
  /// waiter that sleeps.
  template <class Wake>
  void expire(deadline_ns now, Wake&& wake) {
    if (earliest() > now) return;
    for (timer* due = take_due(now); due != nullptr;) {
      timer* const next = due->m_next_due;  // before the waiter may go on
      if (Waiter* const sleeper = due->m_record.finish()) wake(*sleeper);
      due = next;
    }
  }

 private:
  struct entry {
    deadline_ns when;
    timer* of;
  };
  using entries = std::vector<entry>;
  static constexpr std::size_t children = 4;
  static constexpr std::size_t most_at_once = 256;

  // The timers whose waits this ends, as a list. Under the lock, so a waiter that takes its timer back afterwards finds
  // it gone, and nothing touches it any more.
  timer* take_due(deadline_ns now) {
    const std::lock_guard guard(m_lock);
    entries& heap = Provider::writing(m_heap);
    timer* due = nullptr;
    timer* last = nullptr;
    for (std::size_t left = most_at_once; left != 0 && !heap.empty() && heap.front().when <= now; --left) {
      timer& first = *heap.front().of;
      remove(heap, 0);
      if (!first.m_record.claim(wake_reason::timed_out)) continue;
      if (last == nullptr) {
        due = &first;
      } else {
        last->m_next_due = &first;
      }
      last = &first;
    }
    publish_earliest(heap);
    return due;
  }

  void publish_earliest(const entries& heap) {
    m_earliest.store(heap.empty() ? no_deadline : heap.front().when, std::memory_order_relaxed);
  }

  static void put(entries& heap, std::size_t place, const entry& what) {
    heap[place] = what;
    what.of->m_place = place;
  }

  static void move_up(entries& heap, std::size_t place) {
    const entry moving = heap[place];
    while (place != 0) {
      const std::size_t parent = (place - 1) / children;
      if (heap[parent].when <= moving.when) break;
      put(heap, place, heap[parent]);
      place = parent;
    }
    put(heap, place, moving);
  }

  static void move_down(entries& heap, std::size_t place) {
    const entry moving = heap[place];
    for (;;) {
      const std::size_t first = place * children + 1;
      if (first >= heap.size()) break;
      const std::size_t behind = std::min(first + children, heap.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < behind; ++child) {
        if (heap[child].when < heap[least].when) least = child;
      }
      if (heap[least].when >= moving.when) break;
      put(heap, place, heap[least]);
      place = least;
    }
    put(heap, place, moving);
  }

  static void remove(entries& heap, std::size_t place) {
    heap[place].of->m_place = timer::nowhere;
    const entry last = heap.back();
    heap.pop_back();
    if (place == heap.size()) return;
    put(heap, place, last);
    move_down(heap, place);
    move_up(heap, last.of->m_place);
  }

  ramie::lock_of<Provider> m_lock;
  plain<entries> m_heap;  // under the lock
  typename Provider::template atomic<deadline_ns> m_earliest{no_deadline};
};

}  // namespace ramie::detail
