#include "framework/report.hpp"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "ramie_bench_test.XXXXXX").string();
    m_path = mkdtemp(name.data());
  }
  ~temporary_folder() { fs::remove_all(m_path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (m_path / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(m_path), fs::directory_iterator()));
  }

 private:
  fs::path m_path;
};

bench::row_result row(std::string runtime, double median) {
  return {.suite = "switch",
          .row = "raw",
          .runtime = std::move(runtime),
          .workers = 1,
          .queue = "",
          .unit = "ns",
          .values = {.median = median, .min = median, .max = median, .runs = 5},
          .verified = true,
          .complaint = {},
          .stats = {{"steals", 3}}};
}

std::string content(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Json, Shape_IsTheDocumentedOne) {
  const auto json = nlohmann::json::parse(bench::to_json(bench::describe_machine(), {}, {row("ramie", 1.5)}));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_TRUE(json.at("machine").is_object());
  EXPECT_GE(json.at("machine").at("cores").get<int>(), 1);
  EXPECT_FALSE(json.at("machine").at("kernel").get<std::string>().empty());
  EXPECT_FALSE(json.at("machine").at("compiler").get<std::string>().empty());
  for (const char* key : {"workers", "queue", "victim", "stealing", "pin", "backoff", "topology", "steal_threshold",
                          "spin_ns", "seed", "quick", "runs"}) {
    EXPECT_TRUE(json.at("options").contains(key)) << key;
  }
  const auto& r = json.at("rows").at(0);
  EXPECT_EQ(r.at("suite"), "switch");
  EXPECT_EQ(r.at("row"), "raw");
  EXPECT_EQ(r.at("runtime"), "ramie");
  EXPECT_EQ(r.at("workers"), 1);
  EXPECT_EQ(r.at("queue"), "");
  EXPECT_EQ(r.at("unit"), "ns");
  EXPECT_EQ(r.at("median"), 1.5);
  EXPECT_EQ(r.at("min"), 1.5);
  EXPECT_EQ(r.at("max"), 1.5);
  EXPECT_EQ(r.at("runs"), 5);
  EXPECT_EQ(r.at("verified"), true);
  EXPECT_EQ(r.at("stats").at("steals"), 3);
  EXPECT_EQ(r.size(), 12U);
}

TEST(Json, Complaint_IsTold) {
  auto bad = row("ramie", 1);
  bad.verified = false;
  bad.complaint = "wrong sum \xff";  // also when it is no UTF-8
  const auto json = nlohmann::json::parse(bench::to_json({}, {}, {bad}));
  EXPECT_EQ(json.at("rows").at(0).at("verified"), false);
  EXPECT_NE(json.at("rows").at(0).at("complaint").get<std::string>().find("wrong sum"), std::string::npos);
}

TEST(WriteAtomically, File_IsReplacedAndNothingElseIsLeft) {
  const temporary_folder folder;
  bench::write_atomically(folder.file("a.json"), "one");
  bench::write_atomically(folder.file("a.json"), "two");
  EXPECT_EQ(content(folder.file("a.json")), "two");
  EXPECT_EQ(folder.entries(), 1U);
}

/// The process's, while it lives.
class umask_of_test {
 public:
  explicit umask_of_test(mode_t mask) : m_before(umask(mask)) {}
  ~umask_of_test() { umask(m_before); }
  umask_of_test(const umask_of_test&) = delete;
  umask_of_test& operator=(const umask_of_test&) = delete;

 private:
  const mode_t m_before;
};

fs::perms mode_of(const std::string& file) { return fs::status(file).permissions(); }

TEST(WriteAtomically, NewFile_HasTheModeThatTheUmaskLeaves) {
  const temporary_folder folder;
  for (const mode_t mask : {0U, 022U, 027U, 077U}) {
    const umask_of_test only(mask);
    const std::string file = folder.file(std::to_string(mask));
    bench::check_writable(file);
    bench::write_atomically(file, "x");
    EXPECT_EQ(mode_of(file), static_cast<fs::perms>(0666U & ~mask)) << std::oct << mask;
  }
}

TEST(WriteAtomically, FileThatIsReplaced_KeepsItsMode) {
  const temporary_folder folder;
  const std::string file = folder.file("a.json");
  for (const mode_t mode : {0600U, 0640U, 0666U}) {
    bench::write_atomically(file, "one");
    fs::permissions(file, static_cast<fs::perms>(mode));
    const umask_of_test only(022);
    bench::write_atomically(file, "two");
    EXPECT_EQ(mode_of(file), static_cast<fs::perms>(mode)) << std::oct << mode;
    EXPECT_EQ(content(file), "two");
  }
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(WriteAtomically, Link_StaysAndItsFileIsWritten) {
  const temporary_folder folder;
  fs::create_directory(folder.file("below"));
  fs::create_symlink("below/a.json", folder.file("link"));  // of nothing yet
  fs::create_symlink("link", folder.file("link_of_link"));
  for (const char* text : {"one", "two"}) {
    bench::check_writable(folder.file("link_of_link"));
    bench::write_atomically(folder.file("link_of_link"), text);
    EXPECT_TRUE(fs::is_symlink(folder.file("link")));
    EXPECT_TRUE(fs::is_symlink(folder.file("link_of_link")));
    EXPECT_EQ(content(folder.file("below/a.json")), text);
  }
}

TEST(WriteAtomically, LinksInACircle_AreASentence) {
  const temporary_folder folder;
  fs::create_symlink("b", folder.file("a"));
  fs::create_symlink("a", folder.file("b"));
  EXPECT_THROW(bench::check_writable(folder.file("a")), std::runtime_error);
  EXPECT_THROW(bench::write_atomically(folder.file("a"), "x"), std::runtime_error);
}

TEST(WriteAtomically, Pipe_IsWrittenInto) {
  const temporary_folder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  bench::check_writable(pipe);
  bench::write_atomically(pipe, "text");
  char read_back[8] = {};
  EXPECT_EQ(read(reader, read_back, sizeof read_back), 4);
  EXPECT_STREQ(read_back, "text");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(WriteAtomically, StandardOutput_GoesOn) {
  testing::internal::CaptureStdout();
  std::fputs("before ", stdout);
  bench::write_atomically("/dev/stdout", "json");
  std::fputs(" after", stdout);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before json after");
}

TEST(WriteAtomically, ImpossiblePlace_IsASentence) {
  const temporary_folder folder;
  EXPECT_THROW(bench::write_atomically(folder.file("no/such/a.json"), "x"), std::runtime_error);
  EXPECT_THROW(bench::check_writable(folder.file("no/such/a.json")), std::runtime_error);
  EXPECT_THROW(bench::check_writable(folder.file("")), std::runtime_error) << "a folder";
  bench::check_writable(folder.file("fine.json"));
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Table, Peer_IsComparedWithRamie) {
  const std::string text = bench::table_text({row("ramie", 2), row("ucontext", 250), row("boost_context", 7)});
  EXPECT_NE(text.find("125x"), std::string::npos) << text;
  EXPECT_NE(text.find("3.50x"), std::string::npos) << text;
}

TEST(Table, WideSpreadAndFailure_AreMarked) {
  auto wide = row("ramie", 10);
  wide.values.max = 13;
  auto bad = row("go", 10);
  bad.verified = false;
  bad.complaint = "wrong sum";
  const std::string text = bench::table_text({wide, bad});
  EXPECT_NE(text.find("spread 30 %"), std::string::npos) << text;
  EXPECT_NE(text.find("NOT VERIFIED: wrong sum"), std::string::npos) << text;
}

/// Without escape codes.
std::string bare(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033')
      i = text.find('m', i);
    else
      plain += text[i];
  }
  return plain;
}

TEST(Table, Colour_ChangesNoColumn) {
  auto bad = row("go", 10);
  bad.verified = false;
  bad.complaint = "wrong sum";
  auto wide = row("tokio", 10);
  wide.values.max = 13;
  const std::vector<bench::row_result> rows{row("ramie", 10), bad, wide};
  const std::string coloured = bench::table_text(rows, {.colours = bench::palette(true)});
  EXPECT_EQ(bare(coloured), bench::table_text(rows));
  EXPECT_NE(coloured.find("\033[1;31mNOT VERIFIED"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\033[2mspread"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\033[36m"), std::string::npos) << "rows of ramie";
  EXPECT_NE(coloured.find("\033[1mswitch"), std::string::npos) << "headings";
}

TEST(Table, NarrowTerminal_LosesTheStatisticsOnly) {
  const std::string narrow = bench::table_text({row("ramie", 10)}, {.columns = 60});
  EXPECT_EQ(narrow.find("attempts"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("median"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("--json"), std::string::npos) << narrow;
  EXPECT_NE(bench::table_text({row("ramie", 10)}, {.columns = 200}).find("attempts"), std::string::npos);
}

TEST(Colour, Auto_WantsATerminalAndNoNoColor) {
  using bench::wants_colour;
  EXPECT_TRUE(wants_colour("auto", true, nullptr, "xterm"));
  EXPECT_TRUE(wants_colour("auto", true, "", "xterm")) << "an empty NO_COLOR is none";
  EXPECT_FALSE(wants_colour("auto", true, "1", "xterm"));
  EXPECT_FALSE(wants_colour("auto", true, nullptr, "dumb"));
  EXPECT_FALSE(wants_colour("auto", false, nullptr, "xterm"));
  EXPECT_TRUE(wants_colour("always", false, "1", "dumb")) << "the command line wins over the environment";
  EXPECT_FALSE(wants_colour("never", true, nullptr, "xterm"));
}

TEST(Number, Percent_ShowsWhatIsAlmostNothing) {
  EXPECT_EQ(bench::percent_text(0), "0.0 %");
  EXPECT_EQ(bench::percent_text(0.8351), "83.5 %");
  EXPECT_EQ(bench::percent_text(0.001), "0.1 %");
  EXPECT_EQ(bench::percent_text(0.000248), "0.025 %");
  EXPECT_EQ(bench::percent_text(1), "100.0 %");
}

TEST(Number, Text_HasThreeOrFourDigits) {
  EXPECT_EQ(bench::number_text(0), "0");
  EXPECT_EQ(bench::number_text(5), "5");
  EXPECT_EQ(bench::number_text(1.4321), "1.432");
  EXPECT_EQ(bench::number_text(266.04), "266.0");
  EXPECT_EQ(bench::number_text(28631.4), "28,631");
  EXPECT_EQ(bench::number_text(1234567), "1,234,567");
}

}  // namespace
