// Every scenario under some hundred seeds.
#include <simulation/scenarios.hpp>
#include <simulation/simulator/run.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace ramie {
namespace {

struct scenario {
  const char* name;
  void (*body)(std::uint64_t seed);
  unsigned seeds;
};

void PrintTo(const scenario& chosen, std::ostream* to) { *to << chosen.name; }

class Simulation : public ::testing::TestWithParam<scenario> {};

TEST_P(Simulation, EndsWithNothingLost) { sim::run_seeds(GetParam().seeds, GetParam().body); }

INSTANTIATE_TEST_SUITE_P(
    Scenarios, Simulation,
    ::testing::Values(scenario{"Storm", &scenarios::storm, 1000},
                      scenario{"StormBetweenTwo", &scenarios::storm_between_two, 500},
                      scenario{"ChildWhileItsSpawnerSpins", &scenarios::child_while_its_spawner_spins, 500},
                      scenario{"TwoWhoNeedEachOther", &scenarios::two_who_need_each_other, 500},
                      scenario{"Targets", &scenarios::targets, 500}, scenario{"Crowd", &scenarios::crowd, 200},
                      scenario{"CountersThatGoAtOnce", &scenarios::counters_that_go_at_once, 500},
                      scenario{"HandlesThatTravel", &scenarios::handles_that_travel, 500},
                      scenario{"JoinsAtTheLastMoment", &scenarios::joins_at_the_last_moment, 500},
                      scenario{"StartAndStop", &scenarios::start_and_stop, 300},
                      scenario{"DestroyedUnderAWaker", &scenarios::destroyed_under_a_waker, 400},
                      scenario{"Thieves", &scenarios::thieves, 500},
                      scenario{"ForksThatMigrate", &scenarios::forks_that_migrate, 1000},
                      scenario{"ForksThatNeedEachOther", &scenarios::forks_that_need_each_other, 300},
                      scenario{"Letters", &scenarios::letters, 500},
                      scenario{"WaitsThatGiveUp", &scenarios::waits_that_give_up, 500},
                      scenario{"SleepersBesideBusyWorkers", &scenarios::sleepers_beside_busy_workers, 500},
                      scenario{"ThreadsThatGiveUp", &scenarios::threads_that_give_up, 300},
                      scenario{"WorkersThatChangeThreads", &scenarios::workers_that_change_threads, 500},
                      scenario{"OperationsOnRings", &scenarios::operations_on_rings, 500},
                      scenario{"CompletionsOfABusyWorker", &scenarios::completions_of_a_busy_worker, 500},
                      scenario{"YieldsAmongSleepers", &scenarios::yields_among_sleepers, 300}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace ramie
