// One owner and some thieves on one queue. Templates, because a virtual call for each operation would cost more than
// what tells the queues apart.
#pragma once

#include <ramie/base/cache_line.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <optional>
#include <vector>

#include "kernel/cycles.hpp"
#include "kernel/static_threads.hpp"
#include "queues/problem.hpp"
#include "queues/problem_counters.hpp"
#include "queues/problem_thread.hpp"

namespace bench::queues {

/// Each operation by itself, as in a program that does something else in between: no compiler merges it with the next.
[[gnu::always_inline]] inline void apart() { asm volatile("" ::: "memory"); }

// The result of an operation is never held in a const local: gcc keeps a const aggregate in memory ("store to a
// read-only decl"). For every pop that was one more store, and the pops of some queues took twice the time.

template <class Queue>
concept has_thieves = requires(Queue queue) { queue.pop_top(); };

/// The owner's part.
template <class Queue>
class owner_of {
  using item = typename Queue::value_type;
  using clock = std::chrono::steady_clock;

 public:
  owner_of(Queue& queue, const setup& how, owner_tally& into) : m_queue(queue), m_how(how), m_tally(into) {}

  void work() {
    hardware_counters counters(m_how.count);
    const double cpu = thread_cpu_seconds();
    const auto start = clock::now();
    const auto end = start + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(m_how.seconds));
    switch (m_how.owner) {
      case pattern::fill_and_drain: fill_and_drain(end); break;
      case pattern::fill_and_drain_timed: fill_and_drain_timed(end); break;
      case pattern::one_at_a_time: one_at_a_time(end); break;
      case pattern::steady: steady(end); break;
    }
    m_tally.seconds = std::chrono::duration<double>(clock::now() - start).count();
    m_tally.cpu_seconds = thread_cpu_seconds() - cpu;
    m_tally.counted = counters.read(m_tally.counters);
  }

 private:
  [[gnu::always_inline]] bool push(item value) {
    apart();
    if (!m_queue.push_bottom(value)) return false;
    m_tally.pushed_sum += value;
    ++m_tally.pushed;
    return true;
  }

  [[gnu::always_inline]] std::optional<item> pop() {
    apart();
    std::optional<item> got = m_queue.pop_bottom();
    if (got) {
      m_tally.popped_sum += *got;
      ++m_tally.popped;
    }
    return got;
  }

  // The hot loops keep their counts in registers.
  [[gnu::always_inline]] std::size_t fill() {
    Queue& queue = m_queue;
    std::size_t n = 0;
    item next = m_next;
    std::uint64_t sum = 0;
    for (; n < capacity; ++n) {
      apart();
      if (!queue.push_bottom(next)) break;
      sum += next++;
    }
    m_next = next;
    m_tally.pushed += n;
    m_tally.pushed_sum += sum;
    return n;
  }

  [[gnu::always_inline]] void drain() {
    Queue& queue = m_queue;
    std::uint64_t n = 0;
    std::uint64_t sum = 0;
    for (;; ++n) {
      apart();
      std::optional<item> got = queue.pop_bottom();
      if (!got) break;
      sum += *got;
    }
    m_tally.popped += n;
    m_tally.popped_sum += sum;
  }

  // The clock is asked every few thousand operations; beside thieves they may be slow, so more often.
  [[gnu::noinline]] void fill_and_drain(clock::time_point end) {
    const unsigned rounds = m_how.thieves == 0 ? 4 : 1;
    do {
      for (unsigned i = 0; i < rounds; ++i) {
        fill();
        drain();
      }
    } while (clock::now() < end);
  }

  [[gnu::noinline]] void fill_and_drain_timed(clock::time_point end) {
    auto now = clock::now();
    clock::duration pushing{};
    clock::duration popping{};
    while (now < end) {
      fill();
      const auto full = clock::now();
      drain();
      pushing += full - now;
      now = clock::now();
      popping += now - full;
    }
    m_tally.push_seconds = std::chrono::duration<double>(pushing).count();
    m_tally.pop_seconds = std::chrono::duration<double>(popping).count();
  }

  [[gnu::noinline]] void one_at_a_time(clock::time_point end) {
    Queue& queue = m_queue;
    item next = 0;
    std::uint64_t popped = 0;
    std::uint64_t sum = 0;
    std::uint64_t pushed = 0;
    std::uint64_t pushed_sum = 0;
    do {
      for (std::size_t i = 0; i < capacity; ++i) {
        apart();
        if (queue.push_bottom(next)) {
          ++pushed;
          pushed_sum += next++;
        }
        apart();
        if (std::optional<item> got = queue.pop_bottom()) {
          ++popped;
          sum += *got;
        }
      }
    } while (clock::now() < end);
    m_tally.pushed += pushed;
    m_tally.pushed_sum += pushed_sum;
    m_tally.popped += popped;
    m_tally.popped_sum += sum;
  }

  // Pops a few and pushes as many as are missing from half of what the queue holds: it never runs empty, so that an
  // order which forgets what lies at the other end shows.
  [[gnu::noinline]] void steady(clock::time_point end) {
    constexpr std::size_t few = 8;
    std::size_t half = 0;
    while (half < capacity && push(static_cast<item>(cycles()))) ++half;
    half = std::max<std::size_t>(1, half / 2);
    do {
      for (std::size_t i = 0; i < few; ++i) {
        std::optional<item> got = pop();
        if (!got) break;
        m_tally.waits.add(wait_ns(*got));
      }
      for (std::size_t i = 0; i < 8 * few && m_queue.size() < half; ++i) {
        if (!push(static_cast<item>(cycles()))) break;
      }
    } while (clock::now() < end);
  }

  Queue& m_queue;
  const setup& m_how;
  owner_tally& m_tally;
  item m_next = 1;
};

/// A thief, until `stop`.
template <class Queue>
[[gnu::noinline]] void steal_until(const std::atomic<bool>& stop, Queue& queue, const setup& how, thief_tally& into) {
  using ramie::queue::steal_status;
  thief_tally mine;
  const bool paced = how.steals_a_second != flat_out;
  const double period_ns = paced ? 1e9 * how.thieves / how.steals_a_second : 0;
  const auto period = static_cast<std::uint64_t>(period_ns / ns_a_cycle());
  const bool timed = paced || how.time_steals;
  while (!stop.load(std::memory_order_relaxed)) {
    const std::uint64_t before = timed ? cycles() : 0;
    auto got = queue.pop_top();
    const std::uint64_t after = timed ? cycles() : 0;
    switch (got.status) {
      case steal_status::item:
        ++mine.stolen;
        mine.stolen_sum += got.item;
        if (how.time_steals) mine.latencies.add(elapsed_ns(before, after));
        if (how.owner == pattern::steady) mine.waits.add(wait_ns(got.item));
        break;
      case steal_status::lost_race: ++mine.lost_races; break;
      case steal_status::empty: ++mine.empties; break;
    }
    if (!paced) continue;
    // D = 1e9 / f - T, from the end of an attempt that took T.
    while (cycles() - before < period && !stop.load(std::memory_order_relaxed)) pause_thread();
  }
  into = mine;
}

/// Takes out what is left, when all threads have gone.
template <class Queue>
void empty(Queue& queue, const setup& how, outcome& into) {
  const auto take = [&](std::uint64_t item) {
    ++into.left;
    into.left_sum += item;
    if (how.owner == pattern::steady && wait_ns(item) > starved_ns) ++into.left_starved;
  };
  // A thief may be told to come again although nobody else is here: the owner's next operation then gives it something.
  for (unsigned patience = 0; patience < 10'000;) {
    if (auto got = queue.pop_bottom()) {
      take(*got);
      continue;
    }
    if constexpr (has_thieves<Queue>) {
      using ramie::queue::steal_status;
      auto got = queue.pop_top();
      if (got.status == steal_status::empty) break;
      if (got.status == steal_status::item) take(got.item);
      patience = got.status == steal_status::item ? 0 : patience + 1;
    } else {
      break;
    }
  }
  into.still_there = queue.size();
}

/// The whole. The caller's thread is the owner's.
template <class Queue>
[[nodiscard]] outcome encounter(Queue& queue, const setup& how) {
  outcome seen;
  std::vector<thief_tally> thieves(how.thieves);
  alignas(ramie::cache_line_size) std::atomic<bool> stop{false};
  static_cast<void>(ns_a_cycle());  // measured before the clock starts
  const one_cpu_each cpus(how.pin);
  seen.run = on_static_threads(how.thieves + 1, 0, [&](unsigned thread) {
    const auto place = cpus.take(thread);
    if (thread == 0) {
      owner_of<Queue>(queue, how, seen.owner).work();
      stop.store(true, std::memory_order_relaxed);
    } else if constexpr (has_thieves<Queue>) {
      steal_until(stop, queue, how, thieves[thread - 1]);
    }
  });
  for (const thief_tally& each : thieves) seen.thieves.add(each);
  empty(queue, how, seen);
  return judged(std::move(seen));
}

}  // namespace bench::queues
