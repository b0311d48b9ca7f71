// Everything at once: support/storm.hpp says what.
#include <support/repetitions.hpp>
#include <support/storm.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ramie {
namespace {

class Storm : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, Storm, ::testing::Values(1U, 2U, 4U, 16U));

void check(const options& chosen, std::uint64_t seed, bool two_runtimes) {
  const std::string what = "storm, seed " + std::to_string(seed) + ", workers " + std::to_string(chosen.workers) +
                           (two_runtimes ? ", two runtimes" : "");
  SCOPED_TRACE(what);
  const test::watchdog limit(what);
  const options other = test::with_workers(2);
  test::storm_plan plan{.seed = seed, .other = two_runtimes ? &other : nullptr};
  if (test::sanitized) plan.depth = 4, plan.roots = 10;
  test::check_storm(chosen, plan);
}

TEST_P(Storm, NothingIsLost) {
  for (const std::uint64_t seed : test::seeds()) {
    options chosen = test::with_workers(GetParam());
    chosen.seed = seed;
    check(chosen, seed, false);
  }
}

TEST_P(Storm, NothingIsLost_BetweenTwoRuntimes) {
  for (const std::uint64_t seed : test::seeds()) {
    options chosen = test::with_workers(GetParam());
    chosen.seed = seed;
    check(chosen, seed, true);
  }
}

TEST_P(Storm, NothingIsLost_UnderEveryPolicy) {
  for (const std::uint64_t seed : test::seeds(7)) {
    options chosen = test::with_workers(GetParam());
    chosen.seed = seed;
    chosen.queue = queue::all_kinds[seed % queue::all_kinds.size()];
    chosen.victim = static_cast<victim_policy>(seed % 7);
    chosen.topology = "pack:2 l3:2 core:2 pu:1";
    chosen.steal_threshold = static_cast<unsigned>(seed % 3 * 2);
    chosen.backoff = static_cast<backoff_policy>(seed % 3);
    chosen.spin = std::chrono::microseconds(seed % 5 * 20);
    chosen.retained_stacks = seed % 2 == 0 ? 1 : 0;
    chosen.stealing = seed % 11 != 0;
    check(chosen, seed, seed % 5 == 0);
  }
}

}  // namespace
}  // namespace ramie
