// That the simulator finds what is wrong: a fault is planted in the machine, the library stays as it is shipped, and
// some seed must show it. Each run has a process of its own, because what goes wrong may end it.
#include <simulation/scenarios.hpp>
#include <simulation/simulator/run.hpp>
#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

namespace ramie {
namespace {

using kind = sim::fault::kind;
using sim::operation;

struct planted {
  const char* name;
  void (*body)(std::uint64_t seed);
  sim::fault fault;
};

// Most are found by one seed of twenty, the rarest by one of fifty.
constexpr unsigned most_seeds = 600;

// Not more by night; RAMIE_SEED=<n> tries that one alone, and shows what it said.
std::vector<std::uint64_t> seeds() {
  std::vector<std::uint64_t> all = test::seeds(most_seeds);
  if (all.size() > most_seeds) all.resize(most_seeds);
  return all;
}

void PrintTo(const planted& chosen, std::ostream* to) { *to << chosen.name; }

// Without addresses.
std::string comparable(const sim::verdict& result) {
  const std::string reason = result.reason();
  return reason.substr(0, reason.find(" on address"));
}

class Faults : public ::testing::TestWithParam<planted> {};

TEST_P(Faults, AreFound) {
  const planted& chosen = GetParam();
  sim::settings run;
  run.planted = chosen.fault;
  run.most_steps = 1'000'000;
  for (const std::uint64_t seed : seeds()) {
    run.seed = seed;
    if (chosen.fault.what == kind::dropped_wake) run.planted.after = seed % 8;  // another one each time
    const sim::verdict result = sim::run_apart(run, [&] { chosen.body(seed); });
    if (!result.failed) continue;
    std::printf("found by seed %llu: %s\n", static_cast<unsigned long long>(seed), result.reason().c_str());
    if (std::getenv("RAMIE_SEED") != nullptr) std::fputs(result.said.c_str(), stdout);
    RecordProperty("seeds", std::to_string(seed));
    // Not only found, but found again.
    EXPECT_EQ(comparable(sim::run_apart(run, [&] { chosen.body(seed); })), comparable(result));
    return;
  }
  FAIL() << "not found by " << seeds().size() << " seeds";
}

sim::fault torn(operation what, const char* file) { return {.what = kind::torn, .file = file, .torn = what}; }

INSTANTIATE_TEST_SUITE_P(
    Planted, Faults,
    ::testing::Values(
        planted{"ADroppedWake", &scenarios::two_who_need_each_other, {.what = kind::dropped_wake}},
        planted{"ADroppedWakeInTheStorm", &scenarios::storm, {.what = kind::dropped_wake}},
        planted{"ADroppedWakeOfAThread",
                &scenarios::handles_that_travel,
                {.what = kind::dropped_wake, .file = "park_word.hpp"}},
        planted{"AWaitThatDoesNotLook", &scenarios::storm, {.what = kind::blind_wait}},
        planted{"AWaitThatDoesNotLook_InTheIdleDriver",
                &scenarios::child_while_its_spawner_spins,
                {.what = kind::blind_wait, .file = "idle_driver.hpp"}},
        planted{"TornCasInTheDeque", &scenarios::thieves, torn(operation::compare_exchange, "chase_lev.hpp")},
        planted{"TornCasInTheLane", &scenarios::storm, torn(operation::compare_exchange, "fifo_lane.hpp")},
        planted{"TornCasInTheCounter", &scenarios::targets, torn(operation::compare_exchange, "counter_core.hpp")},
        planted{"TornCasInTheJoin", &scenarios::joins_at_the_last_moment,
                torn(operation::compare_exchange, "join_word.hpp")},
        planted{"TornExchangeInTheJoin", &scenarios::joins_at_the_last_moment,
                torn(operation::exchange, "join_word.hpp")},
        planted{"TornLock", &scenarios::storm, torn(operation::compare_exchange, "futex_lock.hpp")},
        planted{"TornExchangeInTheLock", &scenarios::storm, torn(operation::exchange, "futex_lock.hpp")},
        planted{"TornCountOfSleepers", &scenarios::two_who_need_each_other, torn(operation::add, "sleep_gate.hpp")},
        planted{"TornCountOfSpawnsOutside", &scenarios::start_and_stop, torn(operation::add, "termination.hpp")},
        planted{"TornCountOfStrangers", &scenarios::start_and_stop, torn(operation::add, "strangers.hpp")},
        planted{"TornExchangeInTheIdleDriver", &scenarios::destroyed_under_a_stranger,
                torn(operation::exchange, "idle_driver.hpp")}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

// No fault: the world has no thread left. Nothing has run then, and the runtime can be run later.
TEST(Simulation, AThreadThatCannotBeStarted_IsSaidSo) {
  sim::settings run;
  run.planted = {.what = kind::refused_start, .after = 1};
  for (run.seed = 1; run.seed <= 20; ++run.seed) sim::run(run, [] { scenarios::third_worker_refused(); });
}

}  // namespace
}  // namespace ramie
