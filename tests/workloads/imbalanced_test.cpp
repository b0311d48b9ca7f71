#include "imbalanced/contenders.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/busy_loop.hpp"

namespace bench::imbalanced {
namespace {

constexpr size small{.fibers = 30, .heavy = 1'000, .light = 10};

results right() {
  results found(small.fibers);
  for (std::size_t i = 0; i < small.fibers; ++i) found[i] = busy_loop(i, small.iterations(i));
  return found;
}

TEST(Imbalanced, RightResults_AreVerified) {
  const timed run = judged({}, small, right());
  EXPECT_TRUE(run.verified) << run.complaint;
}

TEST(Imbalanced, WrongResult_IsComplainedOf) {
  results found = right();
  found[20] ^= 1U;
  const timed run = judged({}, small, found);
  EXPECT_FALSE(run.verified);
  EXPECT_NE(run.complaint.find("fiber 20 gave"), std::string::npos) << run.complaint;
}

TEST(Imbalanced, FiberOfTheWrongLength_IsComplainedOf) {
  results found = right();
  found[10] = busy_loop(10, small.light);
  EXPECT_NE(judged({}, small, found).complaint.find("fiber 10 gave"), std::string::npos);
}

TEST(Imbalanced, FiberThatNeverRan_IsComplainedOf) {
  results found = right();
  found[29] = 0;
  EXPECT_NE(judged({}, small, found).complaint.find("fiber 29 gave 0 "), std::string::npos);
}

TEST(Imbalanced, ATenthOfTheSourcesFibers_IsHeavy) {
  const size n = size_at(scale::full);
  std::size_t heavy = 0;
  for (std::size_t i = 0; i < n.fibers; ++i) heavy += n.iterations(i) == n.heavy;
  EXPECT_EQ(n.fibers, 1024U);
  EXPECT_EQ(heavy, 103U);
}

TEST(Imbalanced, Spread_IsLargestLessSmallestOverTheMean) {
  worker_cycles spent(3);
  spent.add(0, 90);
  spent.add(1, 40);
  spent.add(1, 60);
  spent.add(2, 110);
  statistics stats;
  spent.add_to(stats);
  EXPECT_EQ(stats.at("worker_cycles_0"), 90);
  EXPECT_EQ(stats.at("worker_cycles_1"), 100);
  EXPECT_EQ(stats.at("worker_cycles_2"), 110);
  EXPECT_DOUBLE_EQ(stats.at("worker_cycles_spread"), 0.2);
}

TEST(Imbalanced, SpreadOfNoWork_IsAbsent) {
  statistics stats;
  worker_cycles(2).add_to(stats);
  EXPECT_FALSE(stats.contains("worker_cycles_spread"));
}

TEST(Imbalanced, EqualShares_HoldEachFiberOnceAndDifferByALightOne) {
  const size n = size_at(scale::full);
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    std::vector<std::size_t> all;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    for (const auto& share : equal_shares(n, workers)) {
      std::uint64_t work = 0;
      for (const std::size_t i : share) work += n.iterations(i);
      least = std::min(least, work);
      most = std::max(most, work);
      all.insert(all.end(), share.begin(), share.end());
    }
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), n.fibers);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
    EXPECT_LE(most - least, n.light) << workers;
  }
}

TEST(Imbalanced, WithoutStealing_OneWorkerSpendsAllCycles) {
  const timed run = run_ramie({.workers = 3, .stealing = false}, size_at(scale::tiny));
  ASSERT_TRUE(run.verified) << run.complaint;
  unsigned worked = 0;
  for (const char* name : {"worker_cycles_0", "worker_cycles_1", "worker_cycles_2"}) worked += run.stats.at(name) > 0;
  EXPECT_EQ(worked, 1U);
  EXPECT_DOUBLE_EQ(run.stats.at("worker_cycles_spread"), 3);
}

TEST(Imbalanced, WorkersByDefault_HaveTheirPlaces) {
  const timed run = run_ramie({}, size_at(scale::tiny));
  EXPECT_TRUE(run.verified) << run.complaint;
}

}  // namespace
}  // namespace bench::imbalanced
