// The storms of tests/scheduler on the simulated machine, and that a seed is all that decides.
#include <simulation/drawn_options.hpp>
#include <simulation/simulator/chronicle.hpp>
#include <simulation/simulator/run.hpp>
#include <support/repetitions.hpp>
#include <support/storm.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace ramie {
namespace {

void small_storm(std::uint64_t seed, bool two_runtimes = false) {
  sim::chronicle events;
  std::optional<sim::chronicle> others_events;
  options other;
  test::storm_plan plan{.seed = seed, .depth = 3, .roots = 4};
  if (two_runtimes) {
    other = sim::drawn_options(seed, others_events.emplace("other"), 1);
    plan.other = &other;
  }
  test::check_storm(sim::drawn_options(seed, events), plan);
}

TEST(SimulatedStorm, NothingIsLost) {
  sim::run_seeds(300, [](std::uint64_t seed) { small_storm(seed); });
}

TEST(SimulatedStorm, NothingIsLost_BetweenTwoRuntimes) {
  sim::run_seeds(150, [](std::uint64_t seed) { small_storm(seed, true); });
}

TEST(SimulatedStorm, NothingIsLost_Larger) {
  sim::run_seeds(15, [](std::uint64_t seed) {
    sim::chronicle events;
    test::check_storm(sim::drawn_options(seed, events), {.seed = seed, .depth = 5, .roots = 20});
  });
}

TEST(SimulatedStorm, TheSameSeedTakesTheSameSteps) {
  std::set<std::uint64_t> hashes;
  const std::vector<std::uint64_t> seeds = test::seeds(10);
  for (const std::uint64_t seed : seeds) {
    const auto first = sim::run(seed, [&] { small_storm(seed, true); });
    // Other addresses: what the allocator has kept from the first run is not what it had before.
    const auto elsewhere = std::make_unique<char[]>(100 + seed * 1000);
    const auto second = sim::run(seed, [&] { small_storm(seed, true); });
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps) << "seed " << seed;
    EXPECT_EQ(first.time, second.time) << "seed " << seed;
    hashes.insert(first.hash);
  }
  EXPECT_EQ(hashes.size(), seeds.size());
}

// The same program under other schedules: it is the machine's seed that changes the steps, not only the storm's.
TEST(SimulatedStorm, AnotherSeedTakesOtherSteps) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) hashes.insert(sim::run(seed, [] { small_storm(3); }).hash);
  EXPECT_EQ(hashes.size(), 10U);
}

}  // namespace
}  // namespace ramie
