#include "migration/contenders.hpp"

#include <gtest/gtest.h>

namespace bench::migration {
namespace {

constexpr size small{.waves = 2, .fibers = 3, .words = 5, .iterations = 10};

std::vector<visit> right() {
  std::vector<visit> visits;
  std::vector<std::uint64_t> set(small.words);
  for (std::size_t id = 0; id < small.waves * small.fibers; ++id) {
    write_set(set, id);
    visits.push_back(visit_set(set, small.iterations));
  }
  return visits;
}

/// Verified, with these cycles of local and of stolen fibers.
outcome measured(const std::vector<std::uint64_t>& local, const std::vector<std::uint64_t>& stolen) {
  outcome o;
  o.run.verified = true;
  for (const std::uint64_t each : local) o.visits.push_back({.result = 1, .set_cycles = 1, .cycles = each});
  for (const std::uint64_t each : stolen) {
    o.visits.push_back({.result = 1, .set_cycles = 1, .cycles = each, .stolen = true});
  }
  return o;
}

TEST(Migration, RightResults_AreVerified) {
  const outcome o = judged({}, small, right());
  EXPECT_TRUE(o.run.verified) << o.run.complaint;
}

TEST(Migration, SetOfAnotherFiber_IsComplainedOf) {
  auto visits = right();
  visits[4] = visits[1];  // the same place, a wave before: a thief that read what was there before
  const outcome o = judged({}, small, visits);
  EXPECT_FALSE(o.run.verified);
  EXPECT_NE(o.run.complaint.find("fiber 4 gave"), std::string::npos) << o.run.complaint;
}

TEST(Migration, OneWrongWord_IsComplainedOf) {
  auto visits = right();
  std::vector<std::uint64_t> set(small.words);
  write_set(set, 5);
  set.back() ^= 1U;
  visits[5] = visit_set(set, small.iterations);
  EXPECT_NE(judged({}, small, visits).run.complaint.find("fiber 5 gave"), std::string::npos);
}

TEST(Migration, FiberThatNeverRan_IsComplainedOf) {
  auto visits = right();
  visits[0] = {};
  EXPECT_NE(judged({}, small, visits).run.complaint.find("fiber 0 gave 0 "), std::string::npos);
}

TEST(Migration, Cycles_HoldThoseOfTheSet) {
  for (const visit& v : right()) EXPECT_GE(v.cycles, v.set_cycles);
}

TEST(Migration, Rows_AreMeansOfLocalAndOfStolenFibers) {
  const auto rows = samples_of(measured({100, 110, 120}, {121}), true);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].row, row_local);
  EXPECT_DOUBLE_EQ(rows[0].value, 110);
  EXPECT_EQ(rows[0].stats.at("fibers"), 3);
  EXPECT_EQ(rows[1].row, row_stolen);
  EXPECT_DOUBLE_EQ(rows[1].value, 121);
  EXPECT_EQ(rows[1].stats.at("fibers"), 1);
  EXPECT_NEAR(rows[1].stats.at("penalty_percent"), 10, 1e-9);
  EXPECT_TRUE(rows[0].verified && rows[1].verified);
}

TEST(Migration, FiberThatLostItsCpu_IsCountedAndNotInTheMean) {
  const auto rows = samples_of(measured({100, 100, 9'000'000}, {100}), true);
  EXPECT_DOUBLE_EQ(rows[0].value, 100);
  EXPECT_EQ(rows[0].stats.at("fibers"), 3);
  EXPECT_EQ(rows[0].stats.at("disturbed"), 1);
  EXPECT_DOUBLE_EQ(rows[1].stats.at("penalty_percent"), 0);
}

TEST(Migration, NoStolenFiberWhereSomeShouldBe_IsComplainedOf) {
  const auto rows = samples_of(measured({100}, {}), true);
  EXPECT_TRUE(rows[0].verified);
  EXPECT_FALSE(rows[1].verified);
  EXPECT_EQ(rows[1].complaint, "no fiber was stolen");
  EXPECT_FALSE(rows[1].stats.contains("penalty_percent"));
}

TEST(Migration, NoStolenFiberWhereNoneCanBe_IsFine) {
  const auto rows = samples_of(measured({100}, {}), false);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].verified);
}

TEST(Migration, OnlyStolenFibers_AreComplainedOf) {
  const auto rows = samples_of(measured({}, {100}), true);
  EXPECT_EQ(rows[0].complaint, "every fiber was stolen");
  EXPECT_TRUE(rows[1].verified);
}

TEST(Migration, WrongResult_IsTheComplaintOfBothRows) {
  outcome o = measured({100}, {});
  o.run.verified = false;
  o.run.complaint = "fiber 0 gave 1";
  for (const sample& s : samples_of(o, true)) {
    EXPECT_FALSE(s.verified);
    EXPECT_EQ(s.complaint, "fiber 0 gave 1");
  }
}

TEST(Migration, WithoutStealing_EveryFiberIsLocal) {
  const outcome o = run_ramie({.workers = 2, .stealing = false}, size_at(scale::tiny));
  ASSERT_TRUE(o.run.verified) << o.run.complaint;
  for (const visit& v : o.visits) EXPECT_FALSE(v.stolen);
}

}  // namespace
}  // namespace bench::migration
