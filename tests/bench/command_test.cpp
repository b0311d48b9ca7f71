// The whole command with suites of the test's own.
#include "framework/command.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench/command_run.hpp"
#include "framework/usage_errors.hpp"

namespace {

using namespace command_run;

/// The text of the usage_error that the run ends with; nothing may have been printed before it.
std::string mistake(std::vector<bench::suite> suites, std::vector<std::string> arguments) {
  std::string said = "no mistake";
  try {
    const outcome o = run(std::move(suites), std::move(arguments));
    ADD_FAILURE() << "status " << o.status;
    return said;
  } catch (const bench::usage_error& problem) {
    said = problem.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return said;
}

TEST(BenchCommand, EverythingVerified_IsStatusZero) {
  const auto o = run({good_suite("one"), good_suite("two")}, {});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "one_row")) << o.out;
  EXPECT_TRUE(contains(o.out, "two_row")) << o.out;
  EXPECT_TRUE(contains(o.out, "queue chase_lev")) << "the options are printed";
}

TEST(BenchCommand, RowThatDoesNotVerify_IsStatusOne) {
  const auto bad = suite_of("bad", [] {
    bench::sample s;
    s.row = "bad_row";
    s.complaint = "the sum is 41";
    return s;
  });
  const auto o = run({good_suite("one"), bad}, {});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.err, "the sum is 41")) << o.err;
  EXPECT_TRUE(contains(o.out, "NOT VERIFIED")) << o.out;
}

TEST(BenchCommand, MissingPeer_IsToldAndNotFatal) {
  const auto o = run({good_suite("one")}, {"--peers"});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "absent: no_such_peer")) << o.out;
  EXPECT_FALSE(contains(run({good_suite("one")}, {}).out, "absent")) << "only if peers were asked for";
}

TEST(BenchCommand, ChosenSuite_RunsAlone) {
  const auto o = run({good_suite("one"), good_suite("two")}, {"two"});
  EXPECT_FALSE(contains(o.out, "one_row"));
  EXPECT_TRUE(contains(o.out, "two_row"));
}

TEST(BenchCommand, UnknownSuite_SaysWhichExist) {
  const auto o = run({good_suite("one"), good_suite("two")}, {"three"});
  EXPECT_NE(o.status, 0);
  EXPECT_TRUE(contains(o.err, "choose one of: one, two")) << o.err;
}

TEST(BenchCommand, List_ShowsRowsAndMeasuresNothing) {
  const auto s = suite_of("one", []() -> bench::sample { throw std::logic_error("must not run"); });
  const auto o = run({s}, {"--list"});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "one: a test")) << o.out;
  EXPECT_TRUE(contains(o.out, "one_row")) << o.out;
}

TEST(BenchCommand, Json_IsWritten) {
  const std::string file = testing::TempDir() + "ramie_bench_command_" + std::to_string(getpid()) + ".json";
  EXPECT_EQ(run({good_suite("one")}, {"--json", file, "--runs", "3"}).status, 0);
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in);
  EXPECT_EQ(json.at("rows").at(0).at("row"), "one_row");
  EXPECT_EQ(json.at("rows").at(0).at("runs"), 3);
  std::filesystem::remove(file);
}

TEST(BenchCommand, JsonFileThatCannotBeWritten_IsToldBeforeMeasuring) {
  bool measured = false;
  const auto s = suite_of("one", [&] {
    measured = true;
    return bench::sample{};
  });
  EXPECT_EQ(mistake({s}, {"--json", "/no/such/folder/x.json"}),
            "--json: cannot write '/no/such/folder/x.json': No such file or directory");
  EXPECT_FALSE(measured);
}

TEST(BenchCommand, Report_HasTheSuitesPicturesAndNeedsNoFolder) {
  const std::string folder = testing::TempDir() + "ramie_bench_report_" + std::to_string(getpid());
  bench::suite s = good_suite("one");
  s.pictures = [](const bench::options&) { return std::vector<bench::picture>{{"the picture", "PNG"}}; };
  const auto o = run({s}, {"--report", folder + "/below"});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "report: file:///")) << o.out;
  std::ifstream in(folder + "/below/index.html");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(contains(page, "one_<wbr>row"));
  EXPECT_TRUE(contains(page, "base64,UE5H"));
  std::filesystem::remove_all(folder);
}

TEST(BenchCommand, SuiteWithoutRows_SaysSoAndWhy) {
  const bench::suite s{.name = "empty", .summary = "needs two workers", .make_plan = [](const auto&, const auto&) {
                         return bench::plan{.groups = {}, .notes = {"not with one worker"}};
                       }};
  const auto o = run({s, good_suite("two")}, {});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "empty: needs two workers\n  nothing was measured\n  not with one worker\n")) << o.out;
  EXPECT_TRUE(contains(o.out, "two_row")) << o.out;
}

TEST(BenchCommand, PicturesThatCannotBeMade_AreANoteAndNoMore) {
  const std::string folder = testing::TempDir() + "ramie_bench_no_pictures_" + std::to_string(getpid());
  bench::suite s = good_suite("one");
  s.pictures = [](const bench::options&) -> std::vector<bench::picture> { throw std::runtime_error("no libpng"); };
  const auto o = run({s, good_suite("two")}, {"--report", folder});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "  no libpng\n")) << o.out;
  EXPECT_TRUE(contains(o.out, "two_row")) << "the run goes on: " << o.out;
  std::ifstream in(folder + "/index.html");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(contains(page, "<li>no libpng</li>"));
  EXPECT_TRUE(contains(page, "one_<wbr>row"));
  std::filesystem::remove_all(folder);
}

TEST(BenchCommand, ReportFolderThatCannotBeWritten_IsToldBeforeMeasuring) {
  bool measured = false;
  const auto s = suite_of("one", [&] {
    measured = true;
    return bench::sample{};
  });
  EXPECT_TRUE(
      mistake({s}, {"--report", "/proc/no/such"}).starts_with("--report: cannot make the folder '/proc/no/such': "));
  EXPECT_FALSE(measured);
}

TEST(BenchCommand, ControlC_PrintsWhatWasFinishedAndIsStatus130) {
  int runs = 0;
  const auto s = suite_of("one", [&] {
    if (++runs == 2) std::raise(SIGINT);
    bench::sample sample;
    sample.row = "one_row";
    sample.value = runs;
    sample.verified = true;
    return sample;
  });
  const auto o = run({s, good_suite("two")}, {});
  EXPECT_EQ(o.status, 130);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(contains(o.out, "one_row")) << o.out;
  EXPECT_FALSE(contains(o.out, "two_row")) << o.out;
}

TEST(BenchCommand, Sigterm_IsTreatedAlikeAndWritesTheFile) {
  const std::string file = testing::TempDir() + "ramie_bench_sigterm_" + std::to_string(getpid()) + ".json";
  const auto s = suite_of("one", [] {
    std::raise(SIGTERM);
    bench::sample sample;
    sample.row = "one_row";
    sample.verified = true;
    return sample;
  });
  EXPECT_EQ(run({s, good_suite("two")}, {"--json", file}).status, 143);
  std::ifstream in(file);
  EXPECT_EQ(nlohmann::json::parse(in).at("rows").size(), 1U);
  std::filesystem::remove(file);
}

TEST(BenchCommand, ExceptionOfAnInterruptedRepetition_IsNoFailureOfTheRow) {
  int runs = 0;
  const auto s = suite_of("one", [&] {
    if (++runs == 2) {
      std::raise(SIGINT);
      throw std::runtime_error("torn");
    }
    bench::sample sample;
    sample.row = "one_row";
    sample.value = 1;
    sample.verified = true;
    return sample;
  });
  const auto o = run({s}, {});
  EXPECT_EQ(o.status, 130);
  EXPECT_TRUE(contains(o.out, "one_row")) << o.out;
  EXPECT_FALSE(contains(o.out, "NOT VERIFIED")) << o.out;
}

TEST(BenchCommand, ProgressWithoutTerminal_IsOneLineAGroup) {
  const auto o = run({good_suite("one")}, {"--runs", "20"});
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_FALSE(contains(o.err, "\r"));
}

TEST(BenchCommand, ChildRepetition_CarriesTheOptions) {
  bench::options o;
  o.queue = "chase_lev";
  o.victim = "random";
  o.backoff = "none";
  o.seed = 9;
  const auto arguments = bench::child_repetition("million", "ramie", 2, 1000, o);
  bench::suite s = good_suite("million");
  std::size_t size = 0;
  bench::options seen;
  s.in_child = [&](const std::string& runtime, const bench::options& options, std::size_t n) {
    EXPECT_EQ(runtime, "ramie");
    seen = options;
    size = n;
    bench::sample sample;
    sample.row = "first_wave";
    sample.value = 3;
    sample.verified = true;
    return std::vector<bench::sample>{sample};
  };
  testing::internal::CaptureStdout();
  CLI::App app;
  bench::command command(app, {s}, offered);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  app.parse(reversed);
  ASSERT_TRUE(command.chosen());
  EXPECT_EQ(command.run(), 0);
  std::fflush(stdout);
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(json.at("row"), "first_wave");
  EXPECT_EQ(json.at("median"), 3);
  EXPECT_EQ(size, 1000U);
  EXPECT_EQ(seen.workers, std::vector<unsigned>{2});
  EXPECT_EQ(seen.seed, 9U);
}

TEST(BenchCommand, ChildRepetition_TakesADecimalSize) {
  std::size_t size = 0;
  bench::suite s = good_suite("million");
  s.in_child = [&](const std::string&, const bench::options&, std::size_t n) {
    size = n;
    return std::vector<bench::sample>{};
  };
  CLI::App app;
  bench::command command(app, {s}, offered);
  const auto given = [&](const std::string& text) {
    app.parse(std::vector<std::string>{text, "ramie", "million", "bench-child"});
  };
  given("0100");
  testing::internal::CaptureStdout();
  EXPECT_EQ(command.run(), 0);
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(size, 100U);
  for (const char* bad : {"0x10", "ten"}) EXPECT_THROW(given(bad), CLI::ValidationError) << bad;
}

}  // namespace
