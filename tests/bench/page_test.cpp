#include "report/page.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

#include "framework/child.hpp"
#include "framework/report.hpp"
#include "framework/usage_errors.hpp"
#include "report/html.hpp"
#include "report/tables.hpp"
#include "support/eventually.hpp"

namespace {

using bench::html::escape;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bench::row_result row(std::string name, std::string runtime, double median) {
  bench::row_result r;
  r.suite = "switch";
  r.row = std::move(name);
  r.runtime = std::move(runtime);
  r.unit = "ns";
  r.values = {.median = median, .min = median, .max = median, .runs = 5};
  r.verified = true;
  return r;
}

bench::report report_of(std::vector<bench::row_result> rows) {
  bench::report r;
  r.with.runs = 5;
  r.sections.push_back({"switch", "a <summary>", std::move(rows), {"a <note>"}});
  return r;
}

TEST(Html, Escape_LeavesNoMarkup) {
  EXPECT_EQ(escape("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape("µs – 漢 😀"), "µs – 漢 😀");
}

TEST(Html, Escape_ReplacesWhatIsNoUtf8) {
  const std::string instead = "\xef\xbf\xbd";
  EXPECT_EQ(escape("a\xff"), "a" + instead);
  EXPECT_EQ(escape("\xc0\xbc"), instead + instead) << "an overlong <";
  EXPECT_EQ(escape("\xe2\x82"), instead + instead) << "cut off";
  EXPECT_EQ(escape(std::string("a\0b\x1b[", 5)), "ab[");
}

TEST(Html, Base64_IsTheOneOfTheRfc) {
  EXPECT_EQ(bench::html::base64(""), "");
  EXPECT_EQ(bench::html::base64("f"), "Zg==");
  EXPECT_EQ(bench::html::base64("fo"), "Zm8=");
  EXPECT_EQ(bench::html::base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(bench::html::base64("\xff\xfe\xfd"), "//79");
}

TEST(Html, FileUrl_EncodesWhatIsSpecial) {
  EXPECT_EQ(bench::html::file_url("/tmp/a b#c/index.html"), "file:///tmp/a%20b%23c/index.html");
}

TEST(Tables, Values_AreComparedAndEscaped) {
  auto bad = row("raw", "go", 10);
  bad.verified = false;
  bad.complaint = "sum <41>";
  const std::string text = bench::values_table_html({row("raw", "ramie", 2), row("raw", "uc&ontext", 250), bad});
  EXPECT_TRUE(contains(text, "125x")) << text;
  EXPECT_TRUE(contains(text, "uc&amp;ontext")) << text;
  EXPECT_TRUE(contains(text, "not verified: sum &lt;41&gt;")) << text;
  EXPECT_TRUE(contains(text, "Values in ns, of 5 repetitions")) << text;
}

TEST(Tables, Statistics_ShowOnlyColumnsThatSomeRowFills) {
  auto r = row("raw", "ramie", 2);
  EXPECT_EQ(bench::statistics_table_html({r}), "");
  r.stats = {{"steals", 3}, {"success_rate", 0.25}, {"worker_cycles_0", 5}, {"worker_cycles_1", 7}, {"n", 9}};
  const std::string text = bench::statistics_table_html({r});
  EXPECT_TRUE(contains(text, "25.0 %")) << text;
  EXPECT_TRUE(contains(text, "n 9; worker_cycles 0: 5, 1: 7")) << text;
  EXPECT_FALSE(contains(text, "parks")) << text;
}

TEST(Page, EverythingOfTheRun_IsThereAndEscaped) {
  auto r = report_of({row("<raw>", "ramie", 2)});
  r.absent = {"go: install <golang>"};
  r.sections[0].pictures = {{"a \"picture\"", "PNG"}};
  r.on.cpu = "CPU <1>";
  bench::drawing drawn;
  drawn.plots = {{"switch", "plot-switch-bars", "Bars & more", "Shorter is better.", 100, "<svg><g/></svg>"}};
  const std::string page = bench::page_html(r, drawn);
  for (const char* part : {"&lt;raw&gt;", "a &lt;summary&gt;", "a &lt;note&gt;", "go: install &lt;golang&gt;",
                           "data:image/png;base64,UE5H", "a &quot;picture&quot;", "CPU &lt;1&gt;", "Bars &amp; more",
                           "<svg role=\"img\" aria-label=\"Bars &amp; more", "href=\"#suite-switch\"",
                           "id=\"suite-switch\"", "every result verified", "prefers-color-scheme"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  EXPECT_FALSE(contains(page, "id=\"no-plots\""));
}

TEST(Page, WrongResult_StandsAtTheTop) {
  auto bad = row("raw", "go", 10);
  bad.verified = false;
  bad.complaint = "sum 41";
  const std::string page = bench::page_html(report_of({bad}), {});
  EXPECT_TRUE(contains(page, "Some results are wrong"));
  EXPECT_FALSE(contains(page, "every result verified"));
}

TEST(Page, WithoutRows_SaysThatNothingWasMeasured) {
  bench::report r = report_of({});
  EXPECT_TRUE(contains(bench::page_html(r, {}), "Nothing was measured."));
  EXPECT_FALSE(contains(bench::page_html(r, {}), "verified"));
  r.interrupted = true;
  EXPECT_TRUE(contains(bench::page_html(r, {}), "Interrupted before the first row was measured."));
  r.sections.push_back({"other", "", {row("raw", "ramie", 2)}});
  EXPECT_TRUE(contains(bench::page_html(r, {}), "1 row in 1 suite; every result verified."));
}

TEST(Page, WithoutPython_SaysHowToGetThePlots) {
  for (const std::vector<std::string>& pythons : {std::vector<std::string>{}, {"/no/such/python3"}}) {
    const bench::drawing drawn = bench::draw_plots("{}", pythons);
    const std::string page = bench::page_html(report_of({row("raw", "ramie", 2)}), drawn);
    EXPECT_TRUE(contains(page, "id=\"no-plots\""));
    EXPECT_TRUE(contains(page, "apt-get install python3-matplotlib"));
    EXPECT_TRUE(contains(page, "Values in ns")) << "the tables are there all the same";
  }
}

TEST(Page, PlottingProgramThatFails_IsAProblemAndNoMore) {
  const bench::drawing drawn = bench::draw_plots("{}", {"/bin/false"});
  ASSERT_EQ(drawn.problems.size(), 1U);
  EXPECT_TRUE(contains(bench::page_html(report_of({}), drawn), "A plot could not be drawn"));
  EXPECT_EQ(bench::draw_plots("{}", {"/bin/echo"}).problems.size(), 1U) << "no JSON";
}

/// The message of the exception of `act`, which must be an Error.
template <class Error, class Act>
std::string thrown_by(Act act) {
  try {
    act();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "nothing was thrown";
}

TEST(Report, ImpossibleFolder_IsASentence) {
  const std::string said = thrown_by<std::runtime_error>([] { bench::check_report_directory("/proc/no/such"); });
  EXPECT_TRUE(said.starts_with("cannot make the folder '/proc/no/such': ")) << said;
}

/// A folder of the test's own, and a saved run of one row in it.
class Redraw : public testing::Test {
 protected:
  Redraw() {
    std::filesystem::create_directory(m_folder);
    bench::report r = report_of({row("raw", "ramie", 2)});
    r.on.cpu = "CPU 1";
    m_run = nlohmann::json::parse(bench::to_json(r.on, r.with, r.sections[0].rows));
  }
  ~Redraw() override { std::filesystem::remove_all(m_folder); }
  Redraw(const Redraw&) = delete;
  Redraw& operator=(const Redraw&) = delete;

  /// The message about a file with this content.
  std::string said_about(const std::string& content) {
    std::ofstream(m_file) << content;
    return said_about_file(m_file);
  }
  std::string said_about_file(const std::string& file) {
    std::string said = thrown_by<bench::usage_error>([&] { bench::redraw_report(file, m_folder + "/out", {}); });
    EXPECT_TRUE(contains(said, "'" + file + "'")) << said;
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/out")) << "made before the file was read: " << said;
    return said;
  }

  const std::string m_folder = testing::TempDir() + "ramie_redraw_" + std::to_string(getpid());
  const std::string m_file = m_folder + "/run.json";
  nlohmann::json m_run;
};

TEST_F(Redraw, SavedRun_IsAPage) {
  std::ofstream(m_file) << m_run;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  bench::redraw_report(m_file, m_folder + "/out", {});
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(testing::internal::GetCapturedStdout().starts_with("report: file:///"));
  std::ifstream in(m_folder + "/out/index.html");
  EXPECT_TRUE(contains(std::string{std::istreambuf_iterator<char>(in), {}}, "CPU 1"));
}

TEST_F(Redraw, FileThatCannotBeRead_IsNamed) {
  EXPECT_EQ(said_about_file("/no/such.json"), "cannot read '/no/such.json': No such file or directory");
  EXPECT_EQ(said_about_file(m_folder), "'" + m_folder + "' is a folder");
  EXPECT_TRUE(contains(said_about(""), "is no JSON (byte 1 of 0)"));
  EXPECT_TRUE(contains(said_about("Linux"), "is no JSON (byte 1 of 5)"));
}

TEST_F(Redraw, FileOfAnotherShape_IsToldWhere) {
  const auto said_with = [this](const char* pointer, const nlohmann::json& value) {
    nlohmann::json changed = m_run;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    return said_about(changed.dump());
  };
  const std::string other = "is no result of `ramie bench --json`: ";
  EXPECT_TRUE(contains(said_about("[]"), other + "the whole is no object"));
  EXPECT_TRUE(contains(said_about("{}"), other + "machine is missing"));
  EXPECT_TRUE(contains(said_with("/machine", 3), other + "machine is no object"));
  EXPECT_TRUE(contains(said_with("/machine/cpu", 3), other + "machine.cpu is no text"));
  EXPECT_TRUE(contains(said_with("/options/quick", "yes"), other + "options.quick is neither true nor false"));
  EXPECT_TRUE(contains(said_with("/options/workers", {1, -1}), other + "options.workers is no whole number"));
  EXPECT_TRUE(contains(said_with("/options/suites", {1}), other + "options.suites is no list of texts"));
  EXPECT_TRUE(contains(said_with("/rows", nullptr), other + "rows is no list"));
  EXPECT_TRUE(contains(said_with("/rows/0", 1), other + "rows[0] is no object"));
  EXPECT_TRUE(
      contains(said_with("/rows/0/workers", -2), other + "rows[0].workers is no whole number from 0 to 4294967295"));
  EXPECT_TRUE(contains(said_with("/rows/0/runs", 1.5), other + "rows[0].runs is no whole number"));
  EXPECT_TRUE(contains(said_with("/rows/0/median", "x"), other + "rows[0].median is no number"));
  EXPECT_TRUE(contains(said_with("/rows/0/stats", {{"n", "x"}}), other + "rows[0].stats.n is no number"));
}

TEST_F(Redraw, PageInPlaceOfTheRun_IsRefused) {
  const std::string page = m_folder + "/index.html";
  for (const std::string& file : {page, m_folder + "/link"}) {
    std::ofstream(page) << m_run;
    if (file != page) std::filesystem::create_symlink("index.html", file);
    const std::string said = thrown_by<bench::usage_error>([&] { bench::redraw_report(file, m_folder, {}); });
    EXPECT_EQ(said, "the page would overwrite '" + file + "'; choose another folder");
    std::ifstream in(page);
    EXPECT_EQ(nlohmann::json::parse(in), m_run);
  }
}

TEST_F(Redraw, NumberThatIsTooLarge_IsASentence) {
  for (const char* number : {"1e999", "-1e999"}) {
    const std::string said = said_about(std::string("{\"machine\": {\"load\": ") + number + "}}");
    EXPECT_EQ(said, "'" + m_file + "' is no result of `ramie bench --json`: a number in it is too large");
  }
}

TEST_F(Redraw, FolderThatCannotBeWritten_IsAMistakeOfTheCommandLine) {
  std::ofstream(m_file) << m_run;
  const std::string said = thrown_by<bench::usage_error>([&] { bench::redraw_report(m_file, "/proc/no/such", {}); });
  EXPECT_TRUE(contains(said, "cannot make the folder '/proc/no/such'")) << said;
}

TEST(Child, Input_IsItsStandardInput) {
  const std::string much(300'000, 'x');
  const auto child = bench::run_child({"/bin/cat"}, ramie::test::patience, much);
  EXPECT_EQ(child.error, "");
  EXPECT_EQ(child.output, much);
}

}  // namespace
