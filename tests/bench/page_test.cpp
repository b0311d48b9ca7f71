#include "report/page.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <unistd.h>

#include "framework/child.hpp"
#include "report/html.hpp"
#include "report/tables.hpp"

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

TEST(Report, ImpossibleFolder_IsASentence) {
  EXPECT_THROW(bench::check_report_directory("/proc/no/such"), std::runtime_error);
}

TEST(Report, FileThatIsNoRun_IsASentence) {
  const std::string folder = testing::TempDir() + "ramie_page_" + std::to_string(getpid());
  EXPECT_THROW(bench::redraw_report("/no/such.json", folder, {}), std::runtime_error);
  EXPECT_THROW(bench::redraw_report("/proc/version", folder, {}), std::runtime_error);
  std::filesystem::remove_all(folder);
}

TEST(Child, Input_IsItsStandardInput) {
  const std::string much(300'000, 'x');
  const auto child = bench::run_child({"/bin/cat"}, std::chrono::seconds(20), much);
  EXPECT_EQ(child.error, "");
  EXPECT_EQ(child.output, much);
}

}  // namespace
