// The suite `waiting`: what it costs flows of control to hand each other items, to take turns and to wait for time.
// Shared by all runtimes; the programs in Go and Rust have the same sizes.
//
// Where a row needs waiters on one worker too, whoever has what they wait for yields while it has it. Sizes are chosen
// by time (framework/calibrate.hpp), but for the sleepers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/options.hpp"
#include "framework/timed.hpp"

namespace bench::waiting {

inline constexpr const char* row_channel_pingpong = "channel_pingpong";
inline constexpr const char* row_channel_1_1 = "channel_1_1";
inline constexpr const char* row_channel_4_4 = "channel_4_4";
inline constexpr const char* row_channel_unbounded_1_1 = "channel_unbounded_1_1";
inline constexpr const char* row_select_2 = "select_2";
inline constexpr const char* row_select_16 = "select_16";
inline constexpr const char* row_select_stop = "select_stop";
inline constexpr const char* row_mutex_free = "mutex_free";
inline constexpr const char* row_mutex_100 = "mutex_100";
inline constexpr const char* row_mutex_100_yield = "mutex_100_yield";
inline constexpr const char* row_mutex_threads = "mutex_threads";
inline constexpr const char* row_semaphore = "semaphore";
inline constexpr const char* row_condvar_broadcast = "condvar_broadcast";
inline constexpr const char* row_timer_cancelled = "timer_cancelled";
inline constexpr const char* row_timers_fire = "timers_fire";
inline constexpr const char* row_scope_spawn_join = "scope_spawn_join";

inline constexpr std::size_t bound = 1'000;         ///< of a bounded channel
inline constexpr std::uint64_t sides = 4;           ///< senders, and receivers, of a channel that several share
inline constexpr std::uint64_t parties = 100;       ///< that share a mutex, a semaphore, a condition variable
inline constexpr std::uint64_t threads_beside = 2;  ///< of them, in mutex_threads: these do half of the operations
inline constexpr std::uint64_t permits = 10;
inline constexpr std::uint64_t listeners = 1'000;  ///< that select over a shared stop
inline constexpr std::uint64_t children = 10;      ///< of a scope
/// Of a party's locks, one in so many is timed: two looks at the clock cost more than a free mutex.
inline constexpr std::uint64_t timed_every = 16;
/// Of the fibers of a runtime that allocates their stacks.
inline constexpr std::size_t stack_bytes = 16 * 1024;

/// How many of `operations` one of `shares` does: at least one.
[[nodiscard]] constexpr std::uint64_t each(std::uint64_t operations, std::uint64_t shares) {
  return (operations + shares - 1) / shares;
}

/// What a receiver has seen.
struct tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void see(std::uint64_t item) {
    ++count;
    sum += item;
  }
  tally& operator+=(const tally& other) {
    count += other.count;
    sum += other.sum;
    return *this;
  }
  bool operator==(const tally&) const = default;
};

/// Of the items 0 to n - 1.
[[nodiscard]] constexpr tally of_first(std::uint64_t n) { return {n, n == 0 ? 0 : n * (n - 1) / 2}; }

/// Items that were received, against those that were sent: 0 to `items` - 1, each once.
[[nodiscard]] timed judged(timed run, std::uint64_t items, const tally& seen);
/// `seen` is what the flows counted together: as much as there were operations.
[[nodiscard]] timed judged(timed run, std::uint64_t seen);

using duration = std::chrono::nanoseconds;

/// The longest of the waits of all parties goes into the statistics.
void add_worst_wait(timed& run, const std::vector<duration>& worst);

/// The results of a scope's children: scope i's child c returns i + c.
[[nodiscard]] timed judged_scopes(timed run, std::uint64_t scopes, std::uint64_t sum);

// ---- Sleepers ----

/// How many, but for those that find no room in memory.
[[nodiscard]] std::uint64_t sleepers_at(scale s);
/// Of a runtime that takes longer than all others.
inline constexpr std::uint64_t most_sleepers_of_boost = 100'000;

/// Deadlines 10 µs apart, which do not come in the order of the sleepers.
class deadlines {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr duration lead{4'000};      ///< for each of the sleepers, before the first wakes
  static constexpr duration spacing{10'000};  ///< between two deadlines
  static constexpr std::uint64_t stride = 7'919;

  /// Of so many sleepers, no multiple of `stride`.
  explicit deadlines(std::uint64_t count)
      : m_count(count), m_first(clock::now() + static_cast<std::int64_t>(count) * lead), m_lateness(count, -1) {}
  [[nodiscard]] clock::time_point of(std::uint64_t sleeper) const {
    return m_first + static_cast<std::int64_t>(sleeper * stride % m_count) * spacing;
  }
  /// This sleeper is awake.
  void reached(std::uint64_t sleeper) { m_lateness[sleeper] = (clock::now() - of(sleeper)).count(); }

  /// The row is the CPU time of a sleeper. Wrong: somebody woke early, or not at all.
  [[nodiscard]] timed judged(timed run);

 private:
  std::uint64_t m_count;
  clock::time_point m_first;
  std::vector<std::int64_t> m_lateness;
};

}  // namespace bench::waiting
