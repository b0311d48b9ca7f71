// The suite `queues`: the microbenchmark of the sources, one owner and some thieves on one queue, and no runtime.
//
// The owner fills the queue until it is full, or has pushed 1,024 items, pops until it is empty, and begins again. The
// thieves steal one item at a time: flat out, or so often a second in total that each waits D = 1e9 / f - T ns after an
// attempt that took T ns, f being its part of the frequency. Every run checks that each item that was pushed came out
// once: pushed = popped + stolen + left, and the same for the sums of the items.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "framework/options.hpp"
#include "framework/timed.hpp"
#include "queues/histogram.hpp"

namespace bench::queues {

inline constexpr const char* row_push_pop = "push_pop";
inline constexpr const char* row_push = "push";
inline constexpr const char* row_pop = "pop";
inline constexpr const char* row_depth_one = "push_pop_depth1";
inline constexpr const char* row_with_thief = "push_pop_thief";
inline constexpr const char* row_steals = "steals";
inline constexpr const char* row_status = "steal_status";
inline constexpr const char* row_wait = "wait_p99";

inline constexpr std::size_t capacity = 1024;
inline constexpr double flat_out = std::numeric_limits<double>::infinity();
/// An item that waited longer is counted as starved.
inline constexpr std::uint64_t starved_ns = 1'000'000;

enum class pattern {
  fill_and_drain,
  fill_and_drain_timed,  ///< with a look at the clock between the two: what a push costs, and a pop
  one_at_a_time,         ///< push one, pop one
  steady,                ///< half full all the time; items carry the time of their push
};

/// One run.
struct setup {
  pattern owner = pattern::fill_and_drain;
  unsigned thieves = 0;
  double steals_a_second = flat_out;  ///< of all thieves together
  double seconds = 0.1;
  bool time_steals = false;  ///< keep how long each that succeeded took
  bool count = false;        ///< hardware counters of the owner, where there are some
  bool pin = false;          ///< owner and thieves to a CPU each, as far as there are so many
};

/// Written by the owner alone.
struct owner_tally {
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::uint64_t pushed_sum = 0;
  std::uint64_t popped_sum = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  double push_seconds = 0;  ///< of fill_and_drain_timed
  double pop_seconds = 0;
  histogram waits;  ///< of what it popped itself
  std::array<std::uint64_t, 4> counters{};
  bool counted = false;
};

/// Written by one thief; on lines of its own.
struct alignas(128) thief_tally {
  std::uint64_t stolen = 0;
  std::uint64_t lost_races = 0;
  std::uint64_t empties = 0;
  std::uint64_t stolen_sum = 0;
  histogram latencies;
  histogram waits;

  void add(const thief_tally& other);
};

/// The result of a run.
struct outcome {
  timed run;  ///< verified or not; its statistics are of all threads
  owner_tally owner;
  thief_tally thieves;  ///< of all
  std::uint64_t left = 0;
  std::uint64_t left_sum = 0;
  std::uint64_t left_starved = 0;
  std::size_t still_there = 0;  ///< what the queue says after it has been emptied

  [[nodiscard]] double attempts() const {
    return static_cast<double>(thieves.stolen + thieves.lost_races + thieves.empties);
  }
  [[nodiscard]] double pairs() const { return static_cast<double>(owner.pushed + owner.popped) / 2; }
};

/// Sets run.verified or run.complaint, and the statistics that all rows have.
[[nodiscard]] outcome judged(outcome seen);

// The samples of the rows. A run that is not verified gives none that is.
[[nodiscard]] std::vector<sample> samples_of_pairs(const outcome& seen, const char* row);
[[nodiscard]] std::vector<sample> samples_of_push_and_pop(const outcome& untimed, const outcome& timed);
[[nodiscard]] std::vector<sample> samples_with_thief(const outcome& seen);
[[nodiscard]] std::vector<sample> samples_of_throughput(const outcome& seen, const std::string& row);
[[nodiscard]] std::vector<sample> samples_of_status(const outcome& seen);
[[nodiscard]] std::vector<sample> samples_of_latency(const outcome& seen, const std::string& row);
[[nodiscard]] std::vector<sample> samples_of_waits(const outcome& seen);

/// One point of the sweep of figures 5.3 to 5.6.
struct point {
  unsigned bytes;  ///< of an item
  unsigned thieves;
  double steals_a_second;  ///< of all; 0 exactly if there are no thieves

  /// "throughput_4b_5t_1m"
  [[nodiscard]] std::string row() const;
};

/// All of them at a scale: `full` has 1 to 5 thieves, `ordinary` the sources' 1 and 5.
[[nodiscard]] std::vector<point> points_at(scale s);

/// Seconds of a run of one point, and of one of the other rows.
[[nodiscard]] double point_seconds(const options& o);

}  // namespace bench::queues
