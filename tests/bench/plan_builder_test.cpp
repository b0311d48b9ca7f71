#include "framework/plan_builder.hpp"

#include <gtest/gtest.h>

namespace {

std::vector<bench::sample> two_samples() {
  return {{.row = "before", .value = 7, .verified = true, .complaint = {}, .stats = {}},
          {.row = "after", .value = 3, .verified = true, .complaint = {}, .stats = {}}};
}

TEST(PlanBuilder, Samples_AreRowsOfOneRepetitionInTheFirstOnesGroup) {
  bench::options o;
  o.queue = "locked";
  const bench::peer_programs programs(false, "");
  bench::plan_builder b(o, programs);
  int prepared = 0;
  b.add_samples("ramie", 4, {{"before", "attempts/steal"}, {"after", "attempts/steal"}}, two_samples,
                [&] { ++prepared; });
  b.add_samples("control", 4, {{"before", "attempts/steal"}}, two_samples);
  const bench::plan p = b.take();
  ASSERT_EQ(p.groups.size(), 1U);
  EXPECT_EQ(p.groups[0].name, "before");
  ASSERT_EQ(p.groups[0].contenders.size(), 2U);
  const bench::contender& c = p.groups[0].contenders[0];
  EXPECT_EQ(c.workers, 4U);
  EXPECT_EQ(c.queue, "locked");
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_EQ(c.rows[1].unit, "attempts/steal");
  c.prepare();
  EXPECT_EQ(prepared, 1);
  EXPECT_EQ(c.run()[1].value, 3);
  EXPECT_EQ(p.groups[0].contenders[1].queue, "");
}

TEST(PlanBuilder, Time_IsDividedByTheOperations) {
  const bench::options o;
  const bench::peer_programs programs(false, "");
  bench::plan_builder b(o, programs);
  b.add("ramie", 1, {"row", "us"},
        [] { return bench::timed{.operations = 4, .seconds = 2e-6, .verified = false, .complaint = "wrong"}; });
  const bench::sample s = b.take().groups.at(0).contenders.at(0).run().at(0);
  EXPECT_DOUBLE_EQ(s.value, 0.5);
  EXPECT_FALSE(s.verified);
  EXPECT_EQ(s.complaint, "wrong");
}

TEST(PlanBuilder, RowsWithoutASize_ChooseOneAndAreInNanoseconds) {
  bench::options o;
  o.duration_ms = 10;
  o.queue = "locked";
  const bench::peer_programs programs(true, "/nonexistent");
  bench::plan_builder b(o, programs);
  const auto loop = [](std::uint64_t n) {
    return bench::timed{.operations = n, .seconds = 1e-6 * static_cast<double>(n), .verified = true};
  };
  b.add_per_operation("ramie", 2, "row", loop);
  b.add_per_operation("control", 2, "row", loop);
  b.add_program_per_operation("row_in_another_language", "another", 2, "row");
  const bench::plan p = b.take();
  ASSERT_EQ(p.groups.size(), 1U);
  const bench::contender& c = p.groups[0].contenders.at(0);
  EXPECT_EQ(c.queue, "locked");
  EXPECT_EQ(c.workers, 2U);
  c.prepare();
  const bench::sample s = c.run().at(0);
  EXPECT_NEAR(s.value, 1'000, 1e-6);
  EXPECT_NEAR(s.stats.at("operations"), 10'000, 1);  // of a microsecond each, for ten milliseconds
  EXPECT_EQ(p.groups[0].contenders.at(1).queue, "");
  ASSERT_EQ(p.absent.size(), 1U);
  EXPECT_TRUE(p.absent[0].starts_with("row_in_another_language: "));
}

TEST(PlanBuilder, UnitThatIsNoTime_IsRefused) {
  const bench::options o;
  const bench::peer_programs programs(false, "");
  bench::plan_builder b(o, programs);
  EXPECT_THROW(b.add("ramie", 1, {"row", "attempts/steal"}, [] { return bench::timed{}; }), std::invalid_argument);
}

}  // namespace
