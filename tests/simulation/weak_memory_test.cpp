// Every scenario on a machine whose memory is as weak as C++20 allows.
#include <simulation/scenarios.hpp>
#include <simulation/simulator/run.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace ramie {
namespace {

struct weak_scenario {
  const char* name;
  void (*body)(std::uint64_t seed);
  unsigned seeds;
};

void PrintTo(const weak_scenario& chosen, std::ostream* to) { *to << chosen.name; }

class WeakSimulation : public ::testing::TestWithParam<weak_scenario> {};

TEST_P(WeakSimulation, EndsWithNothingLost) { sim::run_weak_seeds(GetParam().seeds, GetParam().body); }

INSTANTIATE_TEST_SUITE_P(
    Scenarios, WeakSimulation,
    ::testing::Values(weak_scenario{"Letters", &scenarios::letters, 600},
                      weak_scenario{"Storm", &scenarios::storm, 600},
                      weak_scenario{"StormBetweenTwo", &scenarios::storm_between_two, 200},
                      weak_scenario{"ChildWhileItsSpawnerSpins", &scenarios::child_while_its_spawner_spins, 200},
                      weak_scenario{"TwoWhoNeedEachOther", &scenarios::two_who_need_each_other, 200},
                      weak_scenario{"Targets", &scenarios::targets, 200},
                      weak_scenario{"Crowd", &scenarios::crowd, 100},
                      weak_scenario{"CountersThatGoAtOnce", &scenarios::counters_that_go_at_once, 200},
                      weak_scenario{"HandlesThatTravel", &scenarios::handles_that_travel, 200},
                      weak_scenario{"JoinsAtTheLastMoment", &scenarios::joins_at_the_last_moment, 200},
                      weak_scenario{"StartAndStop", &scenarios::start_and_stop, 200},
                      weak_scenario{"DestroyedUnderAWaker", &scenarios::destroyed_under_a_waker, 200},
                      weak_scenario{"Thieves", &scenarios::thieves, 200},
                      weak_scenario{"ForksThatMigrate", &scenarios::forks_that_migrate, 400},
                      weak_scenario{"ForksThatNeedEachOther", &scenarios::forks_that_need_each_other, 300},
                      weak_scenario{"ForksAmongSleepers", &scenarios::forks_among_sleepers, 300},
                      weak_scenario{"WaitsThatGiveUp", &scenarios::waits_that_give_up, 300},
                      weak_scenario{"SleepersBesideBusyWorkers", &scenarios::sleepers_beside_busy_workers, 300},
                      weak_scenario{"ThreadsThatGiveUp", &scenarios::threads_that_give_up, 200},
                      weak_scenario{"WorkersThatChangeThreads", &scenarios::workers_that_change_threads, 300},
                      weak_scenario{"OperationsOnRings", &scenarios::operations_on_rings, 200},
                      weak_scenario{"CompletionsOfABusyWorker", &scenarios::completions_of_a_busy_worker, 200},
                      weak_scenario{"YieldsAmongSleepers", &scenarios::yields_among_sleepers, 200}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace ramie
