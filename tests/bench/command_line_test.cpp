// The program around the command: mistakes, help and completion, with suites of the test's own.
#include "framework/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "framework/peers.hpp"
#include "framework/usage_errors.hpp"

namespace {

const bench::choices offered{.queues = {"chase_lev", "locked"},
                             .victims = {"random", "sequential"},
                             .backoffs = {"none"},
                             .default_queue = "chase_lev",
                             .default_victim = "random",
                             .default_backoff = "none"};

struct outcome {
  int status = -1;
  std::string out;
  std::string err;
};

bench::suite suite_named(const std::string& name, int& measured) {
  return {.name = name, .summary = "a test", .make_plan = [&measured](const auto&, const auto&) {
            ++measured;
            return bench::plan{};
          }};
}

/// One that makes pictures, if `why_not` is empty.
bench::suite drawing_suite(const std::string& name, int& measured, const std::string& why_not) {
  bench::suite s = suite_named(name, measured);
  s.why_no_images = [why_not] { return why_not; };
  return s;
}

outcome run(const std::vector<std::string>& arguments) {
  int measured = 0;
  bench::command_line line({suite_named("switch", measured), suite_named("million", measured),
                            drawing_suite("heat", measured, ""), drawing_suite("bare", measured, "no libpng")},
                           offered, "ramie 1.2\n");
  outcome result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  result.status = line.run(arguments);
  std::fflush(nullptr);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  if (result.status == 2) {
    EXPECT_EQ(measured, 0) << "measured in spite of a mistake";
  }
  return result;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Every mistake: status 2, nothing on standard output, one line that says `expected`, one that says what to do.
void expect_mistake(const std::vector<std::string>& arguments, const std::string& expected,
                    const std::string& see = "See ramie bench --help.") {
  const outcome o = run(arguments);
  EXPECT_EQ(o.status, 2) << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 2) << o.err;
  EXPECT_TRUE(o.err.starts_with("ramie: ")) << o.err;
  EXPECT_TRUE(contains(o.err, expected)) << o.err;
  EXPECT_TRUE(o.err.ends_with("\n" + see + "\n")) << o.err;
}

TEST(CommandLine, UnknownOption_IsNotBlamedOnItsValue) {
  expect_mistake({"bench", "--worker", "4"}, "there is no option --worker; did you mean --workers?");
  expect_mistake({"bench", "--quik"}, "did you mean --quick?");
  expect_mistake({"bench", "--worker=4"}, "did you mean --workers?");
  expect_mistake({"bench", "--dur", "5"}, "did you mean --duration-ms?");
  expect_mistake({"bench", "-x"}, "there is no option -x");
  expect_mistake({"bench", "--quick", "--zebra"}, "there is no option --zebra\n");
}

TEST(CommandLine, OptionBeforeItsCommand_IsToldWhereItBelongs) {
  expect_mistake({"--quick", "bench"}, "--quick belongs behind the command: ramie bench --quick", "See ramie --help.");
}

TEST(CommandLine, UnknownCommandOrSuite_IsGuessed) {
  expect_mistake({"bnech"}, "there is no command 'bnech'; did you mean 'bench'?", "See ramie --help.");
  expect_mistake({"zebra"}, "there are: bench, report, completion, help", "See ramie --help.");
  expect_mistake({"switch"}, "did you mean 'ramie bench switch'?", "See ramie --help.");
  expect_mistake({"bench", "help"}, "there is no suite 'help'; choose one of: switch, million, heat, bare");
  expect_mistake({"bench", "swich"},
                 "ramie: there is no suite 'swich'; choose one of: switch, million, heat, bare; did you mean");
}

TEST(CommandLine, BadValues_NameTheOption) {
  expect_mistake({"bench", "--workers"}, "--workers needs a value (LIST)");
  expect_mistake({"bench", "--queue", "--quick"}, "--queue needs a value (one of: chase_lev, locked)");
  for (const std::string name : {"--json", "--report", "--image", "--peers-dir", "--queue"}) {
    expect_mistake({"bench", name + "="}, name + " needs a value (");
    expect_mistake({"bench", name, ""}, name + " needs a value (");
  }
  expect_mistake({"bench", "--quick=yes"}, "--quick takes no value");
  expect_mistake({"bench", "--workers", "1,0"}, "--workers: '0' is not a whole number from 1 to 1024");
  expect_mistake({"bench", "--workers", "1,,2"}, "--workers: '' is not");
  expect_mistake({"bench", "--workers", "two"}, "--workers: 'two' is not");
  expect_mistake({"bench", "--runs", "1e3"}, "--runs: '1e3' is not a whole number");
  expect_mistake({"bench", "--spin", "-5"}, "--spin: '-5' is not a whole number");
  expect_mistake({"bench", "--queue", "lokced"}, "did you mean 'locked'?");
  expect_mistake({"bench", "--color", "yes"}, "choose one of: auto, always, never");
}

TEST(CommandLine, ContradictionsAndRepetitions_AreRefused) {
  expect_mistake({"bench", "--quick", "--full"}, "--quick and --full exclude each other");
  expect_mistake({"bench", "--full", "--quick"}, "--full and --quick exclude each other");
  expect_mistake({"bench", "--runs", "3", "--runs", "4"}, "--runs is given twice");
  expect_mistake({"bench", "--workers", "3", "--workers=4"}, "--workers is given twice");
}

TEST(CommandLine, PlacesThatAreNotThere_AreToldBeforeMeasuring) {
  expect_mistake({"bench", "--json", "/no/such/folder/x.json"},
                 "--json: cannot write '/no/such/folder/x.json': No such");
  expect_mistake({"bench", "--report", "/proc/no/such"}, "--report: cannot make the folder '/proc/no/such'");
  expect_mistake({"bench", "--json", "/proc/x.json"}, "--json: cannot write '/proc/x.json'");
  expect_mistake({"bench", "--peers", "--peers-dir", "/no/such"}, "--peers-dir: there is no folder '/no/such'");
  expect_mistake({"bench", "heat", "--image", "/proc/no/such"}, "--image: cannot make the folder '/proc/no/such'");
  expect_mistake({"bench", "heat", "--image", "/proc"}, "--image: cannot write into '/proc'");
}

TEST(CommandLine, PlacesThatNothingWouldUse_AreRefused) {
  expect_mistake({"bench", "--peers-dir", "/tmp"}, "--peers-dir needs --peers");
  expect_mistake({"bench", "--topology", "pack:2 core:2 pu:1"}, "--topology needs --victim hierarchical");
  expect_mistake({"bench", "--steal-threshold", "2"}, "--steal-threshold needs --victim hierarchical");
  expect_mistake({"bench", "switch", "--image", "/tmp"}, "--image: none of the chosen suites makes pictures");
  expect_mistake({"bench", "bare", "--image", "/tmp"}, "--image: no libpng");
  const std::string folder = testing::TempDir() + "ramie_image_" + std::to_string(getpid());
  EXPECT_EQ(run({"bench", "switch", "heat", "--image", folder + "/below"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/below"));
  std::filesystem::remove_all(folder);
}

/// A new folder, gone at the end.
class folder_of_test {
 public:
  folder_of_test() { std::filesystem::create_directory(m_path); }
  ~folder_of_test() { std::filesystem::remove_all(m_path); }
  folder_of_test(const folder_of_test&) = delete;
  folder_of_test& operator=(const folder_of_test&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return m_path + "/" + name; }

 private:
  const std::string m_path = testing::TempDir() + "ramie_command_line_" + std::to_string(getpid());
};

TEST(CommandLine, FilesThatWouldOverwriteEachOther_AreRefused) {
  const folder_of_test folder;
  const std::string report = folder / "report";
  for (const char* name : {"index.html", "tables.txt"}) {
    const std::string clash = "--json and --report would both write '" + report + "/" + name + "'";
    expect_mistake({"bench", "--json", report + "/" + name, "--report", report}, clash);
    expect_mistake({"bench", "--report", report + "/", "--json", folder / "./report/../report/" + name}, "--json and");
    std::filesystem::create_symlink(report + "/" + name, folder / name);  // of nothing yet
    expect_mistake({"bench", "--report", report, "--json", folder / name}, clash);
    EXPECT_FALSE(std::filesystem::exists(report + "/" + name));
  }
  expect_mistake({"bench", "--json", report, "--report", report},
                 "--json: cannot write '" + report + "': Is a directory");
  expect_mistake({"bench", "--json", folder / "new", "--report", folder / "new"},
                 "--json: cannot write '" + (folder / "new"));
  expect_mistake({"bench", "heat", "--json", folder / "heat_0000.png", "--image", folder / ""},
                 "--json and --image would both write '");
}

TEST(CommandLine, FilesSideBySide_AreWritten) {
  const folder_of_test folder;
  const outcome o = run({"bench", "switch", "--json", folder / "new/run.json", "--report", folder / "new"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* name : {"new/run.json", "new/index.html", "new/tables.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  EXPECT_EQ(run({"bench", "heat", "--json", folder / "heat.json", "--image", folder / ""}).status, 0);
}

TEST(CommandLine, OtherCommands_HaveTheirOwnMistakes) {
  const std::string see = "See ramie completion --help.";
  expect_mistake({"completion"}, "an argument is missing: one of: bash, zsh, fish", see);
  expect_mistake({"completion", "bsh"}, "did you mean 'bash'?", see);
  expect_mistake({"completion", "bash", "zsh"}, "there is nothing to do with the argument 'zsh'", see);
  expect_mistake({"report"}, "an argument is missing: FILE, the run that was saved", "See ramie report --help.");
  expect_mistake({"report", "run.json"}, "an argument is missing: DIR, where to write", "See ramie report --help.");
  expect_mistake({"help", "bnch"}, "did you mean 'bench'?", "See ramie --help.");
}

TEST(CommandLine, WorkersBeforeASuite_LeaveItAlone) {
  EXPECT_EQ(run({"bench", "--workers", "1", "switch", "--list"}).status, 0);
}

TEST(CommandLine, Help_TeachesEveryOption) {
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"bench", "--help"},
                                                {"bench", "-h"},
                                                {"help", "bench"},
                                                {"bench", "--zebra", "--help"}}) {
    const outcome o = run(asked);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    for (const char* word :
         {"Usage:", "What to measure:", "The runtime under test:", "How to measure:", "Output:", "Examples:",
          "Exit codes:", "--workers LIST", "chase_lev, locked", "(default: 5)", "--help"}) {
      EXPECT_TRUE(contains(o.out, word)) << word << " is missing in:\n" << o.out;
    }
    EXPECT_FALSE(contains(o.out, "\033"));
  }
  for (const char* command : {"report", "completion"}) {
    const outcome o = run({"help", command});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(contains(o.out, std::string("ramie ") + command)) << o.out;
  }
}

TEST(CommandLine, Program_IntroducesItself) {
  for (const std::vector<std::string>& asked : {std::vector<std::string>{}, {"--help"}, {"help"}}) {
    const outcome o = run(asked);
    EXPECT_EQ(o.status, 0);
    for (const char* word : {"Usage:", "  bench", "  completion", "  help", "--version", "Exit codes:"}) {
      EXPECT_TRUE(contains(o.out, word)) << word << " is missing in:\n" << o.out;
    }
    EXPECT_FALSE(contains(o.out, "bench-child")) << "that is for the program itself";
  }
  EXPECT_EQ(run({"--version"}).out, "ramie 1.2\n");
}

TEST(CommandLine, Completion_KnowsEveryOptionInEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const outcome o = run({"completion", shell});
    EXPECT_EQ(o.status, 0);
    for (const char* word : {"workers", "queue", "chase_lev locked", "random sequential", "json", "peers-dir", "quick",
                             "color", "auto always never", "switch million heat bare", "bash zsh fish", "version"}) {
      EXPECT_TRUE(contains(o.out, word)) << word << " is missing for " << shell << " in:\n" << o.out;
    }
    EXPECT_FALSE(contains(o.out, "bench-child"));
  }
}

TEST(CommandLine, Completion_OfAFileAndAFolderHasNoWords) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run({"completion", shell}).out;
    for (const char* word : {"words='FILE", "words='DIR", "-a 'FILE", "-a 'DIR", "(FILE", "(DIR"}) {
      EXPECT_FALSE(contains(script, word)) << word << " in " << shell << ":\n" << script;
    }
  }
  EXPECT_TRUE(contains(run({"completion", "bash"}).out, "'report:'*) paths=-f ;;"));
  const std::string zsh = run({"completion", "zsh"}).out;
  EXPECT_TRUE(contains(zsh, "'1:file:_files'")) << zsh;
  EXPECT_TRUE(contains(zsh, "'2:directory:_files -/'")) << zsh;
  EXPECT_TRUE(
      contains(run({"completion", "fish"}).out, "complete -c ramie -n '__fish_seen_subcommand_from report' -F\n"));
}

TEST(Nearest, FindsTyposAndUniqueBeginnings) {
  const std::vector<std::string> known{"bench", "completion", "help", "heap"};
  EXPECT_EQ(bench::nearest("bnech", known), "bench") << "swapped";
  EXPECT_EQ(bench::nearest("completoin", known), "completion");
  EXPECT_EQ(bench::nearest("comp", known), "completion");
  EXPECT_EQ(bench::nearest("he", known), "") << "two begin so";
  EXPECT_EQ(bench::nearest("zebra", known), "");
  EXPECT_EQ(bench::nearest("", known), "");
}

}  // namespace
