// A seed decides everything; and storms that are too large for a thousand seeds.
#include <simulation/drawn_options.hpp>
#include <simulation/scenarios.hpp>
#include <simulation/simulator/chronicle.hpp>
#include <simulation/simulator/run.hpp>
#include <support/repetitions.hpp>
#include <support/storm.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ramie {
namespace {

TEST(Seeds, NothingIsLostInALargerStorm) {
  sim::run_seeds(20, [](std::uint64_t seed) {
    sim::chronicle events;
    test::check_storm(sim::drawn_options(seed, events), {.seed = seed, .depth = 5, .roots = 20});
  });
}

TEST(Seeds, TheSameSeedTakesTheSameSteps) {
  std::set<std::uint64_t> hashes;
  const std::vector<std::uint64_t> seeds = test::seeds(10);
  for (const std::uint64_t seed : seeds) {
    const auto first = sim::run(seed, [&] { scenarios::storm_between_two(seed); });
    // Other addresses: what the allocator has kept from the first run is not what it had before.
    const auto elsewhere = std::make_unique<char[]>(100 + seed * 1000);
    const auto second = sim::run(seed, [&] { scenarios::storm_between_two(seed); });
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps) << "seed " << seed;
    EXPECT_EQ(first.time, second.time) << "seed " << seed;
    hashes.insert(first.hash);
  }
  EXPECT_EQ(hashes.size(), seeds.size());
}

// The same program under other schedules: it is the machine's seed that changes the steps, not only the storm's.
TEST(Seeds, AnotherSeedTakesOtherSteps) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) hashes.insert(sim::run(seed, [] { scenarios::storm(3); }).hash);
  EXPECT_EQ(hashes.size(), 10U);
}

// A report names the fibers that are left, and what became of them last.
TEST(Seeds, AFiberThatNobodyWakes_IsInTheReport) {
  sim::settings chosen;
  chosen.seed = 4;
  const sim::verdict result = sim::run_apart(chosen, [] {
    sim::chronicle events;
    counter never(1);
    runtime home(sim::drawn_options(4, events));
    home.spawn([&] { wait_for_counter(never); }).detach();
    home.run();
  });
  EXPECT_TRUE(result.failed);
  EXPECT_NE(result.said.find(" waits, left worker "), std::string::npos) << result.said;
}

// The scenario does what its name says.
TEST(Seeds, OfForksThatMigrate_MoveFibers) {
  std::uint32_t moved = 0;
  std::uint32_t runs = 0;
  sim::run_seeds(20, [&](std::uint64_t seed) {
    moved += scenarios::migrations_of_forks(seed);
    ++runs;
  });
  EXPECT_GT(moved, 2 * runs);
}

}  // namespace
}  // namespace ramie
