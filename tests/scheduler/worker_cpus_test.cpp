#include <ramie/scheduler/worker_cpus.hpp>

#include <ramie/ramie.hpp>
#include <ramie/topology/affinity.hpp>

#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ramie {
namespace {

using detail::worker_cpus;

TEST(WorkerCpus, AWorkerAloneStaysWhereItIs) {
  const topology::affinity_guard restore;
  ASSERT_TRUE(topology::pin_current_thread(topology::allowed_cpus().back()));
  worker_cpus places(3);
  EXPECT_EQ(places.cpu_of(1), worker_cpus::nowhere);
  places.arrive(1);
  EXPECT_EQ(places.cpu_of(1), topology::allowed_cpus().front());
  EXPECT_EQ(places.cpu_of(0), worker_cpus::nowhere);
  places.leave(1);
  EXPECT_EQ(places.cpu_of(1), worker_cpus::nowhere);
}

// Each arrives where another one is: on the processor of this thread, which works for all of them in turn.
TEST(WorkerCpus, TheSecondOnAProcessorMovesToAFreeOne_AndStaysWhereThereIsNone) {
  const std::vector<unsigned> cpus = topology::allowed_cpus();
  const auto workers = static_cast<unsigned>(cpus.size()) + 1;
  worker_cpus places(workers);
  std::vector<unsigned> seen;
  for (unsigned w = 0; w + 1 < workers; ++w) {
    if (w > 0) {  // the kernel may have moved this thread since
      const topology::affinity_guard restore;
      ASSERT_TRUE(topology::pin_current_thread(seen.back()));
    }
    places.arrive(w);
    seen.push_back(places.cpu_of(w));
  }
  std::vector<unsigned> sorted = seen;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, cpus) << "each has one of its own";
  places.arrive(workers - 1);
  EXPECT_NE(places.cpu_of(workers - 1), worker_cpus::nowhere);
  EXPECT_EQ(topology::allowed_cpus(), cpus) << "it may use what it could before";
}

// Workers tell where they are while they run, and that they are nowhere while they sleep.
TEST(WorkerCpus, ARuntimeOfPinnedWorkers_LeavesThemWhereTheyArePinned) {
  options chosen = test::with_workers(2);
  chosen.pin = true;
  run(chosen, [] {
    const std::vector<unsigned> mine = topology::allowed_cpus();
    EXPECT_EQ(mine.size(), 1U);
    counter ended;
    for (int i = 0; i < 100; ++i) {
      spawn_with_counter(ended, [] { EXPECT_EQ(topology::allowed_cpus().size(), 1U); });
      yield();
    }
    wait_for_counter(ended);
  });
}

}  // namespace
}  // namespace ramie
