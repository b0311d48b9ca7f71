// `ramie bench --summary` with suites of the test's own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench/command_run.hpp"

namespace {

using namespace command_run;

bench::suite bad_suite(const std::string& name) {
  return suite_of(name, [name] {
    bench::sample s;
    s.row = name + "_row";
    s.complaint = name + " is wrong";
    return s;
  });
}

class SummarizedRun : public testing::Test {
 protected:
  ~SummarizedRun() override { std::filesystem::remove_all(m_folder); }

  [[nodiscard]] std::string content(const std::string& file) const {
    std::ifstream in(m_folder + "/" + file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string m_folder = testing::TempDir() + "ramie_summarized_run_" + std::to_string(getpid());
};

std::ptrdiff_t lines_in(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(SummarizedRun, Tables_AreInTheFileAndALineASuiteIsPrinted) {
  const auto o = run({good_suite("one"), good_suite("two")}, {"--summary", "--peers", "--report", m_folder});
  EXPECT_EQ(o.status, 0);
  EXPECT_FALSE(contains(o.out, "a repetition:")) << o.out;
  EXPECT_TRUE(contains(o.out, "worst row") && contains(o.out, "one_row") && contains(o.out, "two_row")) << o.out;
  const std::string tables = content("tables.txt");
  for (const char* part : {"queue chase_lev", "\none\n", "\ntwo\n", "a repetition:", "absent: no_such_peer: "}) {
    EXPECT_TRUE(contains(tables, part)) << part << " is not in\n" << tables;
  }
  EXPECT_FALSE(contains(tables, "worst row"));
  // The end of the output stays on the screen: where everything is.
  const std::size_t page = o.out.rfind("report: file:///");
  const std::size_t text = o.out.rfind("tables: file:///");
  ASSERT_NE(page, std::string::npos) << o.out;
  EXPECT_LT(page, text);
  EXPECT_TRUE(o.out.ends_with("/tables.txt\n")) << o.out;
  EXPECT_EQ(lines_in(o.out.substr(page)), 2) << o.out;
}

TEST_F(SummarizedRun, AbsentPeers_AreOneLine) {
  const auto two_absent = [](const std::string& name) {
    bench::suite s = good_suite(name);
    s.make_plan = [make = s.make_plan](const auto& o, const auto& programs) {
      bench::plan p = make(o, programs);
      p.absent.push_back(programs.how_to_get("another_peer"));
      return p;
    };
    return s;
  };
  const auto o = run({two_absent("one"), two_absent("two")}, {"--summary", "--peers"});
  EXPECT_TRUE(contains(o.out, "\nabsent peers: another_peer, no_such_peer\n")) << o.out;
  EXPECT_FALSE(contains(o.out, "absent: ")) << o.out;
}

TEST_F(SummarizedRun, OneSuite_PrintsItsTable) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"one", "--summary"}, {"one"}}) {
    const auto o = run({good_suite("one"), good_suite("two")}, arguments);
    EXPECT_TRUE(contains(o.out, "a repetition:")) << o.out;
    EXPECT_FALSE(contains(o.out, "worst row")) << o.out;
  }
}

TEST_F(SummarizedRun, WithoutReport_SaysHowToGetTheTables) {
  const auto o = run({good_suite("one"), good_suite("two")}, {"--summary"});
  EXPECT_TRUE(o.out.ends_with("or with --report DIR in DIR/tables.txt.\n")) << o.out;
}

TEST_F(SummarizedRun, WrongResults_AreToldAndStatusOne) {
  std::vector<bench::suite> suites{good_suite("fine")};
  for (int i = 0; i < 8; ++i) suites.push_back(bad_suite("bad" + std::to_string(i)));
  const auto bounded = run(suites, {"--summary", "--report", m_folder});
  EXPECT_EQ(bounded.status, 1);
  EXPECT_TRUE(contains(bounded.err, "8 of 9 rows did not verify:\n  bad0 bad0_row ramie 1: bad0 is wrong\n"))
      << bounded.err;
  EXPECT_TRUE(contains(bounded.err, "bad4 is wrong\n  and 3 more, marked in the tables\n")) << bounded.err;
  EXPECT_TRUE(contains(bounded.out, "! bad7")) << bounded.out;
  EXPECT_TRUE(contains(content("tables.txt"), "NOT VERIFIED: bad7 is wrong"));
  // Where no file has the others they are all told.
  EXPECT_TRUE(contains(run(suites, {"--summary"}).err, "bad7 is wrong\n"));
  EXPECT_TRUE(contains(run(suites, {}).err, "bad7 is wrong\n"));
}

TEST_F(SummarizedRun, Json_IsTheSame) {
  const auto rows = [this](std::vector<std::string> arguments) {
    std::filesystem::create_directories(m_folder);
    arguments.insert(arguments.end(), {"--json", m_folder + "/run.json"});
    EXPECT_EQ(run({good_suite("one"), good_suite("two")}, std::move(arguments)).status, 0);
    const auto json = nlohmann::json::parse(content("run.json"));
    return std::pair(json.at("rows"), json.at("options"));
  };
  EXPECT_EQ(rows({"--summary"}), rows({}));
}

TEST_F(SummarizedRun, WithoutTerminal_ProgressIsFiveLinesAtMost) {
  std::vector<bench::suite> suites;
  for (int i = 0; i < 40; ++i) suites.push_back(good_suite("suite" + std::to_string(i)));
  const auto o = run(suites, {"--summary", "--runs", "5"});
  EXPECT_EQ(lines_in(o.err), 5) << o.err;
  EXPECT_TRUE(o.err.starts_with("[  0 %] suite0\n")) << o.err;
  EXPECT_TRUE(contains(o.err, "\n[ 80 %] suite32\n")) << "of the whole run: " << o.err;
  EXPECT_EQ(lines_in(run({suites[0], suites[1]}, {"--summary"}).err), 5);
}

TEST_F(SummarizedRun, FewRepetitions_AreSaidAllTheSame) {
  const auto o = run({good_suite("one"), good_suite("two")}, {"--summary", "--runs", "1"});
  EXPECT_TRUE(contains(o.out, "a look, not a measurement")) << o.out;
}

}  // namespace
