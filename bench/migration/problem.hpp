// The suite `migration`: what a fiber pays when it runs elsewhere than where its data has just been written.
//
// A wave: the spawner writes a working set for each of a few fibers, spawns them, and waits. A fiber adds its set up,
// and runs busy_loop() from the sum. All sets of a wave fit in a second-level cache: a fiber on the spawner's worker
// finds its set there, a stolen one fetches it from another core's cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/options.hpp"
#include "framework/timed.hpp"

namespace bench::migration {

inline constexpr const char* row_local = "migration_local";
inline constexpr const char* row_stolen = "migration_stolen";

struct size {
  std::size_t waves;
  std::size_t fibers;        ///< of a wave
  std::size_t words;         ///< of 8 bytes, of a fiber's working set
  std::uint64_t iterations;  ///< of busy_loop(), each fiber
};

[[nodiscard]] size size_at(scale s);

/// The findings of a fiber, and its times.
struct visit {
  std::uint64_t result = 0;
  std::uint64_t set_cycles = 0;  ///< to add the set up
  std::uint64_t cycles = 0;      ///< that and the loop
  bool stolen = false;           ///< ran on another worker than the one that wrote the set
};

/// The id-th fiber's set, in any wave: id = wave * n.fibers + place.
void write_set(std::span<std::uint64_t> set, std::size_t id);

/// The work of a fiber.
[[nodiscard, gnu::noinline]] visit visit_set(std::span<const std::uint64_t> set, std::uint64_t iterations);

struct outcome {
  timed run;
  std::vector<visit> visits;  ///< the id-th in the id-th place
};

/// Judges the run by the results; they are computed in another way, without a set and without a loop.
[[nodiscard]] outcome judged(timed run, const size& n, std::vector<visit> visits);

/// A fiber that took longer than this many times the median has lost its CPU on the way: a time slice is many times as
/// long as a fiber, so a few of those would outweigh what is looked for.
inline constexpr double disturbed_from = 1.5;

/// Mean cycles of a local fiber, and of a stolen one where `with_stolen`: then there must be some. Disturbed ones are
/// counted, but not in the mean.
[[nodiscard]] std::vector<sample> samples_of(const outcome& o, bool with_stolen);

}  // namespace bench::migration
