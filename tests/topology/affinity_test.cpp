#include <ramie/topology/affinity.hpp>
#include <ramie/topology/worker_count.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sched.h>
#include <thread>
#include <vector>

namespace ramie::topology {
namespace {

TEST(Affinity, AllowedCpusAreAscendingAndContainTheCurrentOne) {
  const std::vector<unsigned> cpus = allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  EXPECT_EQ(std::adjacent_find(cpus.begin(), cpus.end()), cpus.end());
  EXPECT_TRUE(std::binary_search(cpus.begin(), cpus.end(), static_cast<unsigned>(::sched_getcpu())));
}

TEST(Affinity, APinnedThreadRunsOnThatCpuAlone_AndTheGuardPutsItBack) {
  const std::vector<unsigned> before = allowed_cpus();
  for (const unsigned cpu : before) {
    {
      const affinity_guard restore;
      ASSERT_TRUE(pin_current_thread(cpu));
      EXPECT_EQ(allowed_cpus(), std::vector<unsigned>{cpu});
      EXPECT_EQ(::sched_getcpu(), static_cast<int>(cpu));
    }
    EXPECT_EQ(allowed_cpus(), before);
  }
}

TEST(Affinity, PinningIsPerThread) {
  const std::vector<unsigned> before = allowed_cpus();
  std::thread([&] { EXPECT_TRUE(pin_current_thread(before.back())); }).join();
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Affinity, ACpuThatDoesNotExistIsRefused) {
  const std::vector<unsigned> before = allowed_cpus();
  EXPECT_FALSE(pin_current_thread(500'000));
  EXPECT_FALSE(pin_current_thread(std::numeric_limits<unsigned>::max()));
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Affinity, AThreadIsMovedOffProcessors_AndMayUseThemAfterwards) {
  const std::vector<unsigned> before = allowed_cpus();
  for (const unsigned cpu : before) {
    const std::vector<unsigned> left{cpu, 500'000};
    const std::optional<unsigned> now = move_current_thread_off(left);
    if (before.size() == 1) {
      EXPECT_FALSE(now);
    } else {
      ASSERT_TRUE(now);
      EXPECT_NE(*now, cpu);
      EXPECT_TRUE(std::ranges::binary_search(before, *now));
    }
    EXPECT_EQ(allowed_cpus(), before);
  }
  EXPECT_FALSE(move_current_thread_off(before)) << "there is none left";
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(WorkerCount, IsTheLesserOfAffinityAndQuotaRoundedUp) {
  EXPECT_EQ(worker_count(8, {}), 8U);
  EXPECT_EQ(worker_count(8, 2.0), 2U);
  EXPECT_EQ(worker_count(8, 2.1), 3U);
  EXPECT_EQ(worker_count(8, 7.5), 8U);
  EXPECT_EQ(worker_count(8, 64.0), 8U);
  EXPECT_EQ(worker_count(8, 1e300), 8U);
}

TEST(WorkerCount, IsAtLeastOne) {
  EXPECT_EQ(worker_count(8, 0.1), 1U);
  EXPECT_EQ(worker_count(8, 0.0), 1U);
  EXPECT_EQ(worker_count(8, -3.0), 1U);
  EXPECT_EQ(worker_count(0, {}), 1U);
}

TEST(WorkerCount, DefaultNeverExceedsTheAllowedCpus) {
  EXPECT_GE(default_worker_count(), 1U);
  EXPECT_LE(default_worker_count(), allowed_cpus().size());
  const affinity_guard restore;
  ASSERT_TRUE(pin_current_thread(allowed_cpus().front()));
  EXPECT_EQ(default_worker_count(), 1U);
}

}  // namespace
}  // namespace ramie::topology
