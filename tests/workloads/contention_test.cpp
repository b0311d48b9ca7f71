#include "contention/contenders.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bench::contention {
namespace {

timed run_with(double attempts, double steals) {
  timed run;
  run.verified = true;
  run.seconds = 0.5;
  run.stats = {{stat_attempts, attempts}, {stat_steals, steals}};
  return run;
}

TEST(Contention, Figure_IsAttemptsForEachSteal) {
  const sample s = attempts_each(row_before, run_with(300, 4));
  EXPECT_TRUE(s.verified) << s.complaint;
  EXPECT_EQ(s.row, row_before);
  EXPECT_DOUBLE_EQ(s.value, 75);
  EXPECT_DOUBLE_EQ(s.stats.at("ms"), 500);
}

TEST(Contention, RunWithoutASteal_HasNoFigureAndSaysSo) {
  const sample s = attempts_each(row_after, run_with(300, 0));
  EXPECT_FALSE(s.verified);
  EXPECT_EQ(s.complaint, "nothing was stolen in 300 attempts");
  EXPECT_TRUE(std::isfinite(s.value));
}

TEST(Contention, RunWithoutStatistics_HasNoFigureAndSaysSo) {
  timed run;
  run.verified = true;
  EXPECT_EQ(attempts_each(row_after, run).complaint, "nothing was stolen in 0 attempts");
}

TEST(Contention, WrongResult_KeepsItsComplaint) {
  timed run = run_with(300, 0);
  run.verified = false;
  run.complaint = "fiber 3 gave 0";
  const sample s = attempts_each(row_before, run);
  EXPECT_FALSE(s.verified);
  EXPECT_EQ(s.complaint, "fiber 3 gave 0");
}

TEST(Contention, Rows_SetTheirPoliciesAndKeepTheRest) {
  const ramie::options asked{.workers = 5,
                             .seed = 7,
                             .queue = ramie::queue_kind::locked,
                             .victim = ramie::victim_policy::last_victim,
                             .backoff = ramie::backoff_policy::fixed,
                             .stealing = false};
  for (const ramie::options& o : {before(asked), after(asked)}) {
    EXPECT_EQ(o.workers, 5U);
    EXPECT_EQ(o.seed, 7U);
    EXPECT_EQ(o.queue, ramie::queue_kind::locked);
    EXPECT_TRUE(o.stealing);
  }
  EXPECT_EQ(before(asked).victim, ramie::victim_policy::sequential);
  EXPECT_EQ(before(asked).backoff, ramie::backoff_policy::none);
  EXPECT_EQ(after(asked).victim, ramie::victim_policy::random_start);
  EXPECT_EQ(after(asked).backoff, ramie::backoff_policy::exponential);
}

TEST(Contention, Attempts_AreThoseThatBroughtSomethingOrNothingOrLost) {
  const timed run = run_ramie(after({.workers = 4}), {.fibers = 200, .heavy = 100'000, .light = 1'000});
  ASSERT_TRUE(run.verified) << run.complaint;
  const double attempts = run.stats.at(stat_attempts);
  const double outcomes = run.stats.at(stat_steals) + run.stats.at(stat_empties) + run.stats.at(stat_lost_races);
  // The statistics are read while thieves are at it: each may be between its attempt and the outcome, at both readings.
  EXPECT_NEAR(attempts, outcomes, 2 * 4 + attempts * 0.01);
  EXPECT_GE(run.stats.at("stolen_items"), run.stats.at(stat_steals));
  EXPECT_FALSE(run.stats.contains(stat_parks));
  EXPECT_FALSE(run.stats.contains(stat_wakeups));
}

}  // namespace
}  // namespace bench::contention
