// Deadlines of waits: one heap a worker.
//
// A timer lies on the stack of the one who waits, and knows its place in the heap, so that it is taken out in O(log n)
// when the wait ends before its deadline, which is what most do. Children of a node: four, next to each other in one
// cache line (LaMarca, Ladner, "The Influence of Caches on the Performance of Heaps", JEA 1996).
//
// A lock for each heap, held for one operation: the owner inserts, whoever goes on takes out, and any worker may expire
// what is due, so that timers of a worker with a long task do not wait for it.
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
    std::size_t m_place = nowhere;  // under the lock of its heap
    timer* m_next_due = nullptr;    // of those that expire() has taken out
  };

  timer_heap() = default;
  timer_heap(const timer_heap&) = delete;
  timer_heap& operator=(const timer_heap&) = delete;

  /// Any thread. True: it is the earliest one now. Throws std::bad_alloc; the timer is then not in it.
  [[nodiscard]] bool add(timer& fresh) {
    const std::lock_guard guard(m_lock);
    m_heap.push_back({fresh.m_when, &fresh});
    move_up(m_heap.size() - 1);
    publish_earliest();
    return fresh.m_place == 0;
  }

  /// The waiter, after its wait. Nobody touches the timer when it returns.
  void take_back(timer& mine) {
    const std::lock_guard guard(m_lock);
    if (mine.m_place == timer::nowhere) return;
    remove(mine.m_place);
    publish_earliest();
  }

  /// Any thread, without the lock. A guess, which may be late by one operation.
  [[nodiscard]] deadline_ns earliest() const {
    // [D1] acquire, pairs with [D2]; what makes a sleeper see a deadline that comes while it falls asleep is the gate.
    return m_earliest.load(std::memory_order_acquire);
  }

  /// Any thread. Ends the waits whose deadlines lie at or before `now`: wake(waiter) for those that sleep. Returns how
  /// many waits have ended so.
  template <class Wake>
  std::size_t expire(deadline_ns now, Wake&& wake) {
    if (earliest() > now) return 0;
    timer* due = nullptr;
    {
      const std::lock_guard guard(m_lock);
      while (!m_heap.empty() && m_heap.front().when <= now) {
        timer& first = *m_heap.front().of;
        remove(0);
        // Under the lock: a waiter that takes its timer back afterwards finds it gone, and nobody who touches it.
        if (first.m_record.claim(wake_reason::timed_out)) {
          first.m_next_due = due;
          due = &first;
        }
      }
      publish_earliest();
    }
    std::size_t count = 0;
    for (; due != nullptr; ++count) {
      timer* const next = due->m_next_due;  // before the waiter may go on
      if (Waiter* const sleeper = due->m_record.finish()) wake(*sleeper);
      due = next;
    }
    return count;
  }

 private:
  struct entry {
    deadline_ns when;
    timer* of;
  };
  static constexpr std::size_t children = 4;

  void publish_earliest() {
    // [D2] release, pairs with [D1].
    m_earliest.store(m_heap.empty() ? no_deadline : m_heap.front().when, std::memory_order_release);
  }

  void put(std::size_t place, const entry& what) {
    m_heap[place] = what;
    what.of->m_place = place;
  }

  void move_up(std::size_t place) {
    const entry moving = m_heap[place];
    while (place != 0) {
      const std::size_t parent = (place - 1) / children;
      if (m_heap[parent].when <= moving.when) break;
      put(place, m_heap[parent]);
      place = parent;
    }
    put(place, moving);
  }

  void move_down(std::size_t place) {
    const entry moving = m_heap[place];
    for (;;) {
      const std::size_t first = place * children + 1;
      if (first >= m_heap.size()) break;
      const std::size_t behind = std::min(first + children, m_heap.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < behind; ++child) {
        if (m_heap[child].when < m_heap[least].when) least = child;
      }
      if (m_heap[least].when >= moving.when) break;
      put(place, m_heap[least]);
      place = least;
    }
    put(place, moving);
  }

  void remove(std::size_t place) {
    m_heap[place].of->m_place = timer::nowhere;
    const entry last = m_heap.back();
    m_heap.pop_back();
    if (place == m_heap.size()) return;
    put(place, last);
    move_down(place);
    move_up(last.of->m_place);
  }

  lock_of<Provider> m_lock;  // for the heap
  std::vector<entry> m_heap;
  typename Provider::template atomic<deadline_ns> m_earliest{no_deadline};
};

}  // namespace ramie::detail
