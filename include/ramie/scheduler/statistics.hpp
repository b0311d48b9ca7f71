// Counts of each worker's work. Written by the worker that holds the counters, read by anyone at any time.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie {

/// A snapshot of one worker; see runtime::statistics(). Fields are consistent each by itself, not with one another.
struct worker_statistics {
  std::uint64_t spawned = 0;         ///< fibers that it spawned; no worker counts spawns from outside the runtime
  std::uint64_t done = 0;            ///< fibers that ended on it
  std::uint64_t switches = 0;        ///< times it went from one fiber to another, or between its loop and a fiber
  std::uint64_t steal_attempts = 0;  ///< looks into another worker's queues
  std::uint64_t steals = 0;          ///< looks that brought items
  std::uint64_t stolen_items = 0;    ///< items that those looks brought
  std::uint64_t lost_races = 0;      ///< looks at something that another took first
  std::uint64_t empties = 0;         ///< looks at nothing
  std::uint64_t parks = 0;           ///< times it slept in the kernel, in the list of sleepers
  std::uint64_t naps = 0;            ///< short sleeps in its driver, in no list (nap_pace.hpp)
  std::uint64_t wakeups = 0;         ///< sleeping workers that it woke
};

namespace detail {

/// A number with one writer. Adding is a load, an add and a store: no locked instruction. The writer's own load is
/// relaxed because nobody else writes; add() and get() because their order, where it matters, comes from elsewhere:
/// that of `spawned` from the `done` that is read before it (termination.hpp).
template <class Provider = native_provider>
class basic_owned_count {
 public:
  void add(std::uint64_t n = 1) {
    m_value.store(m_value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  /// For the total that decides when a run is over; see termination.hpp.
  void add_release(std::uint64_t n = 1) {
    // [O1] release: a reader of the new value sees all that the writer counted before it; pairs with [O2].
    m_value.store(m_value.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t get() const { return m_value.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get_acquire() const {
    // [O2] acquire, pairs with [O1].
    return m_value.load(std::memory_order_acquire);
  }

 private:
  typename Provider::template atomic<std::uint64_t> m_value{0};
};

using owned_count = basic_owned_count<>;

struct alignas(cache_line_size) worker_counters {
  owned_count spawned, done, switches, steal_attempts, steals, stolen_items, lost_races, empties, parks, naps, wakeups;
  owned_count freed;  // tasks whose memory was given back; against spawned, it tells of handles still held

  [[nodiscard]] worker_statistics snapshot() const {
    return {.spawned = spawned.get(),
            .done = done.get(),
            .switches = switches.get(),
            .steal_attempts = steal_attempts.get(),
            .steals = steals.get(),
            .stolen_items = stolen_items.get(),
            .lost_races = lost_races.get(),
            .empties = empties.get(),
            .parks = parks.get(),
            .naps = naps.get(),
            .wakeups = wakeups.get()};
  }
};

}  // namespace detail
}  // namespace ramie
