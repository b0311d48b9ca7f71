#include "framework/runner.hpp"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

#include "framework/calibrate.hpp"
#include "framework/usage.hpp"

namespace {

bench::sample good(const std::string& row, double value, bench::statistics stats = {}) {
  bench::sample s;
  s.row = row;
  s.value = value;
  s.verified = true;
  s.stats = std::move(stats);
  return s;
}

bench::contender one_row(const std::string& runtime, std::function<bench::sample()> run) {
  bench::contender c;
  c.runtime = runtime;
  c.rows = {{"r", "ns"}};
  c.run = [run = std::move(run)] { return std::vector<bench::sample>{run()}; };
  return c;
}

bench::plan plan_of(std::vector<bench::contender> contenders) {
  bench::plan p;
  p.groups.push_back({.name = "g", .contenders = std::move(contenders)});
  return p;
}

TEST(Runner, ContendersOfAGroup_AreInterleaved) {
  std::string order;
  auto a = one_row("a", [&] {
    order += 'a';
    return good("r", 1);
  });
  auto b = one_row("b", [&] {
    order += 'b';
    return good("r", 1);
  });
  a.prepare = [&] { order += 'A'; };
  const auto results = bench::run_plan("s", plan_of({a, b}), {.repetitions = 40});
  ASSERT_EQ(order.size(), 81U);
  EXPECT_EQ(order[0], 'A');
  std::set<std::string> seen;
  for (std::size_t i = 1; i < order.size(); i += 2) seen.insert(order.substr(i, 2));
  EXPECT_EQ(seen, (std::set<std::string>{"ab", "ba"})) << "each repetition takes all of them, in changing order";
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].runtime, "a");
  EXPECT_EQ(results[0].values.runs, 40U);
  EXPECT_TRUE(results[0].verified);
}

TEST(Runner, RowThatFailsOnce_IsNotVerifiedAndNotRepeated) {
  int runs = 0;
  auto bad = one_row("bad", [&] {
    auto s = good("r", 1);
    if (++runs == 2) {
      s.verified = false;
      s.complaint = "one is missing";
    }
    return s;
  });
  const auto results = bench::run_plan("s", plan_of({bad}), {.repetitions = 5});
  EXPECT_EQ(runs, 2);
  EXPECT_FALSE(results.at(0).verified);
  EXPECT_EQ(results.at(0).complaint, "one is missing");
}

TEST(Runner, Exception_MakesTheRowUnverifiedAndTheOthersRun) {
  auto thrower = one_row("thrower", []() -> bench::sample { throw std::runtime_error("no stack left"); });
  auto fine = one_row("fine", [] { return good("r", 1); });
  const auto results = bench::run_plan("s", plan_of({thrower, fine}), {});
  EXPECT_FALSE(results.at(0).verified);
  EXPECT_EQ(results.at(0).complaint, "no stack left");
  EXPECT_TRUE(results.at(1).verified);
}

TEST(Runner, RowWithoutSample_IsNotVerified) {
  auto silent = one_row("silent", [] { return good("another row", 1); });
  EXPECT_FALSE(bench::run_plan("s", plan_of({silent}), {}).at(0).verified);
}

TEST(Runner, Statistics_AreMeansAndTheRateIsOfTheTotals) {
  int run = 0;
  auto c = one_row("c", [&] {
    ++run;
    return run == 1 ? good("r", 1, {{bench::stat_steals, 1}, {bench::stat_attempts, 1}})
                    : good("r", 1, {{bench::stat_steals, 0}, {bench::stat_attempts, 3}});
  });
  const auto result = bench::run_plan("s", plan_of({c}), {.repetitions = 2}).at(0);
  EXPECT_DOUBLE_EQ(result.stats.at(bench::stat_steals), 0.5);
  EXPECT_DOUBLE_EQ(result.stats.at(bench::stat_attempts), 2);
  EXPECT_DOUBLE_EQ(result.stats.at(bench::stat_success_rate), 0.25);
}

TEST(Runner, Statistics_WithoutAttemptsHaveNoRate) {
  auto c = one_row("c", [] { return good("r", 1, {{bench::stat_steals, 0}, {bench::stat_attempts, 0}}); });
  EXPECT_EQ(bench::run_plan("s", plan_of({c}), {}).at(0).stats.count(bench::stat_success_rate), 0U);
}

TEST(Runner, Stop_KeepsTheRowsMeasuredSoFar) {
  int runs = 0;
  auto c = one_row("c", [&] {
    ++runs;
    return good("r", runs);
  });
  bench::run_control control{.repetitions = 5};
  control.stop = [&] { return runs >= 3; };
  const auto results = bench::run_plan("s", plan_of({c}), control);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].values.runs, 3U);
  EXPECT_TRUE(results[0].verified);
}

TEST(Runner, Stop_DropsOnlyTheRepetitionThatItTore) {
  int runs = 0;
  auto c = one_row("c", [&] {
    auto s = good("r", ++runs);
    s.verified = runs < 3;
    return s;
  });
  bench::run_control control;
  control.stop = [&] { return runs >= 3; };
  const auto results = bench::run_plan("s", plan_of({c}), control);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].values.runs, 2U);
  EXPECT_DOUBLE_EQ(results[0].values.max, 2);
  EXPECT_TRUE(results[0].verified);
}

TEST(Runner, FailureBeforeTheStop_StaysAFailure) {
  bool failed = false;
  bool stop = false;
  auto bad = one_row("bad", [&] {
    auto s = good("r", 1);
    s.verified = false;
    failed = true;
    return s;
  });
  auto stopper = one_row("stopper", [&] {
    stop = failed;
    return good("r", 1);
  });
  bench::run_control control;
  control.stop = [&] { return stop; };
  const auto results = bench::run_plan("s", plan_of({bad, stopper}), control);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_FALSE(results[0].verified);
  EXPECT_TRUE(results[1].verified);
}

TEST(Runner, Progress_CountsEveryStep) {
  std::vector<std::size_t> steps;
  bench::run_control control{.repetitions = 2};
  control.on_step = [&](const bench::progress& p) {
    EXPECT_EQ(p.steps, 6U);
    steps.push_back(p.step);
  };
  const auto c = one_row("c", [] { return good("r", 1); });
  (void)bench::run_plan("s", plan_of({c, c}), control);
  EXPECT_EQ(steps, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
}

// A loop that costs exactly `each` seconds an operation.
bench::timed_loop loop_of(double each, std::uint64_t* last) {
  return [=](std::uint64_t n) {
    *last = n;
    return bench::timed{.operations = n, .seconds = each * static_cast<double>(n), .verified = true};
  };
}

TEST(Calibration, CheapAndDearOperations_FillTheTime) {
  std::uint64_t last = 0;
  for (const double each : {1e-9, 1e-7, 3e-5, 1e-3}) {
    const auto n = bench::calibrate(loop_of(each, &last), 0.05);
    EXPECT_NEAR(each * static_cast<double>(n), 0.05, 0.002) << each;
    EXPECT_LE(each * static_cast<double>(last), 0.1) << "a trial must not be much longer than the target";
  }
}

TEST(Calibration, OperationLongerThanTheTime_StillRuns) {
  std::uint64_t last = 0;
  EXPECT_GE(bench::calibrate(loop_of(1.0, &last), 0.05), 1U);
}

TEST(Calibration, FailingLoop_EndsAtOnce) {
  int calls = 0;
  (void)bench::calibrate(
      [&](std::uint64_t n) {
        ++calls;
        return bench::timed{.operations = n};
      },
      0.05);
  EXPECT_EQ(calls, 1);
}

TEST(PerOperation, Value_IsNanosecondsOfOneOperation) {
  std::uint64_t last = 0;
  const auto c = bench::per_operation("x", 1, "", "r", 0.01, loop_of(2e-7, &last));
  c.prepare();
  const auto s = c.run().at(0);
  EXPECT_NEAR(s.value, 200, 1e-6);
  EXPECT_TRUE(s.verified);
}

}  // namespace
