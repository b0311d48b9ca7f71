// The suite `jobs`: the synthetic workload of injinj's WSQ (test_job.cpp). 10,000 jobs that each run the same short
// loop, beside the loop alone; the shorter it is, the more of the time is the job system's. And a tree of a million
// jobs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "framework/timed.hpp"

namespace bench::jobs {

inline constexpr row_of_time row_empty{"empty", "ns"};
inline constexpr row_of_time row_tree{"tree", "ns"};
/// work_100, work_200, ...
[[nodiscard]] row_of_time row_of_work(std::uint32_t iterations);
/// The other way round; 0 where the row is another one.
[[nodiscard]] std::uint32_t iterations_of(const std::string& row);

/// The kernel: the source's arithmetic, one step an iteration, each of which needs the one before.
[[nodiscard, gnu::noinline]] std::uint32_t work(std::uint32_t iterations);

/// The work done by the jobs of one worker. In cache lines of its own, because others write theirs at the same time.
struct alignas(128) tally {
  std::uint64_t jobs = 0;
  std::uint64_t numbers = 0;  ///< of the jobs, each made unlike all others, so that no two stand in for two more
  std::uint64_t results = 0;

  void add(std::uint64_t number, std::uint64_t result) {
    const std::uint64_t spread = number * 0x9E3779B97F4A7C15ULL;
    ++jobs;
    numbers += spread ^ (spread >> 32U);
    results += result;
  }
  tally& operator+=(const tally& other);
  bool operator==(const tally&) const = default;
};

/// Of the rows `empty` and `work_...`. A repetition does `rounds` times `jobs` jobs, so that there is something to
/// time, and once more before the clock starts: the source's rounds, too, follow one another in one process.
struct batch {
  std::uint32_t iterations;
  std::uint64_t jobs;
  std::uint64_t rounds;

  [[nodiscard]] std::uint64_t all() const { return jobs * (rounds + 1); }
};
[[nodiscard]] batch batch_at(scale s, std::uint32_t iterations);
/// The same for the serial time: rounds of 1,000 jobs as in the source, but so many that it is measured as long as the
/// others, and meets as much of what else the machine does.
[[nodiscard]] batch serial_batch_at(scale s, std::uint32_t iterations);
/// The numbers of iterations that have rows.
[[nodiscard]] std::vector<std::uint32_t> iterations_at(scale s);

/// Times round(first), which runs `b.jobs` jobs with the numbers from `first` on and returns when they have ended.
template <class Round>
[[nodiscard]] timed timed_rounds(const batch& b, const Round& round) {
  round(std::uint64_t{0});
  const stopwatch watch;
  for (std::uint64_t i = 1; i <= b.rounds; ++i) round(i * b.jobs);
  return watch.stop(b.rounds * b.jobs);
}

[[nodiscard]] timed judged(timed run, const batch& b, std::span<const tally> found);

/// Of the row `tree`: every job above the last level has children, four in the upper levels and two below. Sixteen
/// levels are 1,048,405 jobs.
struct tree {
  unsigned levels;

  [[nodiscard]] std::uint64_t jobs() const;
};
[[nodiscard]] tree tree_at(scale s);

inline constexpr unsigned most_children = 4;
[[nodiscard]] constexpr unsigned children_at(unsigned level) { return level < 4 ? most_children : 2; }
/// No other job of the tree has it; the root's is 0.
[[nodiscard]] constexpr std::uint64_t child_number(std::uint64_t parent, unsigned child) {
  return parent * most_children + child + 1;
}

/// By calls: the job and all below it.
void plain_tree(const tree& t, unsigned level, std::uint64_t number, tally& into);

[[nodiscard]] timed judged(timed run, const tree& t, std::span<const tally> found);

}  // namespace bench::jobs
