#include "waiting/problem.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

#include "waiting/contenders.hpp"

namespace {

using namespace bench;
using namespace bench::waiting;

TEST(Waiting, Shares_CoverAllOperations) {
  EXPECT_EQ(each(1, 100), 1U);
  EXPECT_EQ(each(100, 100), 1U);
  EXPECT_EQ(each(101, 100), 2U);
}

TEST(Waiting, Items_ThatAreLostOrDoubledOrChanged_AreFound) {
  tally seen;
  for (const std::uint64_t item : {0, 1, 2, 3}) seen.see(item);
  EXPECT_TRUE(judged({}, 4, seen).verified);
  EXPECT_EQ(judged({}, 5, seen).complaint, "4 items arrived instead of 5");
  EXPECT_EQ(judged({}, 3, seen).complaint, "4 items arrived instead of 3");
  EXPECT_EQ(judged({}, 4, {.count = 4, .sum = 7}).complaint, "the items sum up to 7 instead of 6");
  EXPECT_FALSE(judged({}, 4, {.count = 4, .sum = 7}).verified);
  EXPECT_TRUE(judged({}, 0, {}).verified);
}

TEST(Waiting, Operations_ThatDidNotHappen_AreFound) {
  const timed asked{.operations = 3};
  EXPECT_TRUE(judged(asked, 3).verified);
  EXPECT_EQ(judged(asked, 2).complaint, "2 operations happened instead of 3");
}

TEST(Waiting, ScopesWithALostChild_AreFound) {
  // Scope 0: 0 + 1 + ... + 9; scope 1: one more each.
  EXPECT_TRUE(judged_scopes({}, 2, 45 + 55).verified);
  EXPECT_EQ(judged_scopes({}, 2, 99).complaint, "the children's results sum up to 99 instead of 100");
}

TEST(Waiting, WorstWait_IsTheLongestOfAnyParty) {
  timed run;
  add_worst_wait(run, {duration(10), duration(3'000), duration(20)});
  EXPECT_DOUBLE_EQ(run.stats.at("worst_wait_us"), 3);
}

TEST(Waiting, Deadlines_AreDistinctAndInTheFuture) {
  const auto before = deadlines::clock::now();
  deadlines all(1'000);
  std::vector<deadlines::clock::time_point> found;
  for (std::uint64_t i = 0; i < 1'000; ++i) found.push_back(all.of(i));
  EXPECT_NE(found[1] - found[0], deadlines::spacing) << "in the order of the sleepers";
  std::sort(found.begin(), found.end());
  EXPECT_GE(found.front(), before + 1'000 * deadlines::lead);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i] - found[i - 1], deadlines::spacing);
}

TEST(Waiting, SleepersThatWakeEarlyOrNever_AreFound) {
  deadlines early(4);
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::this_thread::sleep_until(early.of(i));
    early.reached(i);
  }
  timed wrong = early.judged({.operations = 4, .stats = {{"cpu_s", 2}}});
  EXPECT_FALSE(wrong.verified);
  EXPECT_EQ(wrong.complaint, "1 of 4 sleepers woke early or not at all");
  EXPECT_DOUBLE_EQ(wrong.seconds, 2);

  deadlines far(5'000'000);  // the first is 20 s away
  far.reached(0);
  EXPECT_EQ(far.judged({}).complaint, "5000000 of 5000000 sleepers woke early or not at all");

  deadlines right(4);
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::this_thread::sleep_until(right.of(i));
    right.reached(i);
  }
  EXPECT_TRUE(right.judged({}).verified);
}

class EachRowOfWaiting : public testing::TestWithParam<const char*> {};

TEST_P(EachRowOfWaiting, OfRamie_IsRightWhateverTheWorkersAndTheNumber) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    for (const std::uint64_t operations : {1U, 999U, 5'000U}) {
      const timed run = run_ramie({.workers = workers}, GetParam(), operations);
      EXPECT_TRUE(run.verified) << workers << " workers, " << operations << " operations: " << run.complaint;
      EXPECT_GE(run.operations, operations);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachRowOfWaiting,
                         testing::Values(row_channel_pingpong, row_channel_1_1, row_channel_4_4,
                                         row_channel_unbounded_1_1, row_select_2, row_select_16, row_select_stop,
                                         row_mutex_free, row_mutex_100, row_mutex_100_yield, row_mutex_threads,
                                         row_semaphore, row_condvar_broadcast, row_timer_cancelled, row_timers_fire,
                                         row_scope_spawn_join),
                         [](const testing::TestParamInfo<const char*>& of) { return std::string(of.param); });

TEST(Waiting, RowThatDoesNotExist_IsRefused) {
  EXPECT_THROW(static_cast<void>(run_ramie({.workers = 1}, "channel_5_5", 1)), std::invalid_argument);
}

}  // namespace
