#include "framework/summary.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace {

using rows = std::vector<bench::row_result>;

bench::row_result row(const std::string& name, const std::string& runtime, double median, unsigned workers = 2,
                      const std::string& unit = "ns") {
  return {.suite = "s",
          .row = name,
          .runtime = runtime,
          .workers = workers,
          .queue = runtime == "ramie" ? "split" : "",
          .unit = unit,
          .values = {.median = median, .min = median, .max = median, .runs = 5},
          .verified = true,
          .complaint = {},
          .stats = {}};
}

bench::row_result on_queue(bench::row_result r, const std::string& queue) {
  r.queue = queue;
  return r;
}

bench::row_result wrong(bench::row_result r) {
  r.verified = false;
  r.complaint = "the sum is 41";
  return r;
}

bench::suite named(const std::string& name) { return {.name = name, .summary = "a test", .make_plan = {}}; }

bench::standing standing(const rows& of, const bench::suite& about = named("s")) {
  return bench::standing_of(about, of, "split");
}

/// ramie at `ratio` times the time of tbb.
bench::standing at(const std::string& suite, double ratio) {
  return standing({row(suite + "_row", "ramie", 10 * ratio), row(suite + "_row", "tbb", 10)}, named(suite));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The only line that names `word`.
std::string line_with(const std::string& text, const std::string& word) {
  std::string found;
  for (const std::string& line : lines_of(text)) {
    if (line.find(" " + word + " ") == std::string::npos) continue;
    EXPECT_EQ(found, "") << text;
    found = line;
  }
  return found;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Standing, WorstRow_IsThatAgainstItsBestPeer) {
  const auto s = standing({row("a", "ramie", 10), row("a", "tbb", 40), row("a", "rayon", 20), row("b", "ramie", 30),
                           row("b", "tbb", 90), row("b", "rayon", 25), row("b", "control", 5)});
  ASSERT_TRUE(s.worst);
  EXPECT_EQ(s.worst->ours.row, "b");
  EXPECT_EQ(s.worst->peer->runtime, "rayon");
  EXPECT_DOUBLE_EQ(s.worst->ratio, 1.2);
  EXPECT_EQ(s.worst->control->values.median, 5);
  EXPECT_EQ(s.compared, 2U);
  EXPECT_EQ(s.behind, 1U);
}

TEST(Standing, WhereMoreIsBetter_TheRatioIsTurnedRound) {
  for (const char* unit : {"1/us", "op/s", "x"}) EXPECT_TRUE(bench::more_is_better(unit)) << unit;
  for (const char* unit : {"ns", "s", "bytes", "cycles", "%", "attempts/steal"}) {
    EXPECT_FALSE(bench::more_is_better(unit)) << unit;
  }
  const auto s =
      standing({row("a", "ramie", 10, 2, "1/us"), row("a", "go", 4, 2, "1/us"), row("a", "crossbeam", 20, 2, "1/us")});
  EXPECT_EQ(s.worst->peer->runtime, "crossbeam") << "the one that does most";
  EXPECT_DOUBLE_EQ(s.worst->ratio, 2);
  EXPECT_EQ(s.behind, 1U);
}

TEST(Standing, OwnRuntimesControlsAndSteps_AreNoPeers) {
  bench::suite about = named("s");
  about.steps = {"padding"};
  const rows all{row("a", "ramie", 10),     row("a", "ramie_spawn", 1), row("a", "control", 1),
                 row("a", "plain_call", 1), row("a", "plain_ring", 1),  row("a", "padding", 1),
                 row("a", "go", 20)};
  EXPECT_EQ(standing(all, about).worst->peer->runtime, "go");
  EXPECT_EQ(standing(all).worst->peer->runtime, "padding");
}

TEST(Standing, OtherWorkerCounts_AreNotCompared) {
  const auto s = standing({row("a", "ramie", 20, 1), row("a", "ramie", 10, 2), row("a", "vqsort", 15, 1)});
  EXPECT_EQ(s.compared, 1U);
  EXPECT_EQ(s.worst->ours.workers, 1U);
  EXPECT_EQ(standing({row("a", "ramie", 10, 4), row("a", "tbb", 5, 1)}).compared, 0U);
}

TEST(Standing, OfSeveralQueues_TheOptionsQueueCounts) {
  const auto tbb = row("a", "tbb", 20);
  const auto split = row("a", "ramie", 30);
  const auto other = on_queue(row("a", "ramie", 10), "abp");
  for (const rows& all : {rows{split, other, tbb}, rows{other, split, tbb}}) {
    EXPECT_DOUBLE_EQ(standing(all).worst->ratio, 1.5);
    EXPECT_EQ(standing(all).compared, 1U);
  }
  EXPECT_DOUBLE_EQ(standing({other, tbb}).worst->ratio, 0.5) << "split was not measured";
  EXPECT_EQ(standing({wrong(split), other, tbb}).compared, 0U) << "another queue covers nothing up";
}

TEST(Standing, Control_IsTheOneWithAsManyWorkersOrThePlainProgram) {
  const auto control = [](rows others) {
    others.push_back(row("a", "ramie", 10));
    const auto found = standing(others).worst->control;
    return found ? found->runtime + std::to_string(found->workers) : "none";
  };
  EXPECT_EQ(control({}), "none");
  EXPECT_EQ(control({row("a", "control", 1, 1)}), "control1");
  EXPECT_EQ(control({row("a", "control", 1, 1), row("a", "plain_call", 1, 1)}), "plain_call1");
  EXPECT_EQ(control({row("a", "control", 1, 1), row("a", "plain_call", 1, 1), row("a", "control", 1)}), "control2");
  EXPECT_EQ(control({wrong(row("a", "control", 1)), row("b", "control", 1)}), "none");
}

TEST(Standing, WithoutPeers_TheHeadlineOrTheWorstAgainstItsControl) {
  const rows all{row("a", "ramie", 10), row("b", "ramie", 10), row("b", "control", 9), row("c", "ramie", 10),
                 row("c", "control", 5)};
  EXPECT_EQ(standing(all).worst->ours.row, "c");
  EXPECT_FALSE(standing(all).worst->peer);
  bench::suite about = named("s");
  about.headline = "a";
  EXPECT_EQ(standing(all, about).worst->ours.row, "a");
  EXPECT_EQ(standing({all[0], all[1]}).worst->ours.row, "a") << "the first, where nothing can be compared";
  EXPECT_FALSE(standing({}).worst);
  EXPECT_FALSE(standing({row("a", "pthread", 10)}).worst);
}

TEST(Standing, WrongResults_AreCountedAndComparedWithNobody) {
  const auto s = standing({wrong(row("a", "ramie", 10)), row("a", "tbb", 5), row("b", "ramie", 10),
                           wrong(row("b", "tbb", 1)), row("b", "go", 20)});
  EXPECT_EQ(s.unverified, 2U);
  EXPECT_EQ(s.rows, 5U);
  EXPECT_EQ(s.compared, 1U);
  EXPECT_EQ(s.worst->peer->runtime, "go");
}

TEST(Standing, WhatIsShownAsEven_IsNotBehind) {
  EXPECT_EQ(at("s", 1.004).behind, 0U);
  EXPECT_EQ(at("s", 1.006).behind, 1U);
}

TEST(Summary, Suites_AreWorstFirstAndMarkedWhereAPeerIsAhead) {
  const auto lonely = standing({row("lonely_row", "ramie", 5)}, named("lonely"));
  const auto nothing = standing({}, named("nothing"));
  const auto bad =
      standing({row("bad_row", "ramie", 1), row("bad_row", "tbb", 9), wrong(row("bad_row", "go", 1))}, named("bad"));
  const std::string text = bench::summary_text(
      {at("good", 0.25), nothing, lonely, at("worse", 12.345), bad, at("even", 1), at("behind", 1.5)});
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 11U) << "a line a suite, and four more:\n" << text;
  std::vector<std::string> found;
  for (std::size_t i = 2; i < 9; ++i) {
    std::istringstream words(lines[i].substr(4));
    words >> found.emplace_back();
    EXPECT_EQ(lines[i][2] == '!', found.back() == "bad" || found.back() == "worse" || found.back() == "behind")
        << lines[i];
  }
  EXPECT_EQ(found, (std::vector<std::string>{"bad", "worse", "behind", "even", "good", "lonely", "nothing"})) << text;
  EXPECT_TRUE(contains(lines[2], "1 of 3 rows NOT VERIFIED")) << text;
  EXPECT_TRUE(contains(lines[3], "tbb 10") && contains(lines[3], "12.3") && contains(lines[3], "1 of 1")) << text;
  EXPECT_TRUE(contains(lines[7], " - ")) << text;
  EXPECT_TRUE(contains(lines[8], "nothing was measured")) << text;
}

TEST(Summary, OverlappingRepetitions_AreMarked) {
  auto ours = row("a", "ramie", 12);
  ours.values.min = 9;
  EXPECT_TRUE(contains(bench::summary_text({standing({ours, row("a", "tbb", 10)})}), " ~1.20 "));
  ours.values.min = 11;
  EXPECT_TRUE(contains(bench::summary_text({standing({ours, row("a", "tbb", 10)})}), " 1.20 "));
}

TEST(Summary, ControlThatIsAnotherProgram_IsNamed) {
  const std::string text = bench::summary_text(
      {standing({row("a", "ramie", 10), row("a", "control", 7), row("a", "tbb", 5)}, named("one")),
       standing({row("a", "ramie", 10), row("a", "plain_call", 7), row("a", "tbb", 5)}, named("two"))});
  EXPECT_TRUE(contains(line_with(text, "two"), " plain_call 7 ")) << text;
  EXPECT_FALSE(contains(line_with(text, "one"), "control")) << text;
}

TEST(Summary, WithoutAnyPeer_SaysHowToAddThem) {
  const auto alone = standing({row("a", "ramie", 10)});
  EXPECT_TRUE(contains(bench::summary_text({alone}), "--peers"));
  EXPECT_FALSE(contains(bench::summary_text({alone, at("t", 2)}), "--peers"));
}

TEST(Summary, NarrowTerminal_LosesColumnsAndWrapsNoRow) {
  const std::vector<bench::standing> all{at("one", 2), at("two", 0.5)};
  const std::string whole = bench::summary_text(all);
  for (const std::size_t columns : {200U, 75U, 68U, 60U}) {
    const std::string text = bench::summary_text(all, {.columns = columns});
    const auto lines = lines_of(text);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_LE(lines[i].size(), columns) << text;
    EXPECT_TRUE(contains(text, "ramie/peer") && contains(text, "behind")) << text;
    EXPECT_EQ(text == whole, columns == 200) << columns;
  }
}

TEST(Summary, Colour_ChangesNoText) {
  const std::vector<bench::standing> all{at("one", 2), at("two", 0.5)};
  std::string text = bench::summary_text(all, {.colours = bench::palette(true)});
  EXPECT_TRUE(contains(text, "\033[1;31m  ! one")) << text;
  EXPECT_FALSE(contains(text, "\033[1;31m    two")) << text;
  for (std::size_t i = 0; (i = text.find('\033')) != std::string::npos;) text.erase(i, text.find('m', i) - i + 1);
  EXPECT_EQ(text, bench::summary_text(all));
}

}  // namespace
