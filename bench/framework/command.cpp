#include "framework/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <fmt/format.h>
#include <set>

#include "framework/child.hpp"
#include "framework/machine.hpp"
#include "framework/peers.hpp"
#include "framework/progress.hpp"
#include "framework/report.hpp"
#include "framework/runner.hpp"
#include "report/page.hpp"

namespace bench {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// The first Ctrl-C ends the run after the present repetition; the second one kills.
class interruption {
 public:
  interruption() {
    interrupted = false;
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted.store(true, std::memory_order_relaxed); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &m_before);
  }
  ~interruption() { sigaction(SIGINT, &m_before, nullptr); }
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  [[nodiscard]] static bool came() { return interrupted.load(std::memory_order_relaxed); }

 private:
  struct sigaction m_before{};
};

std::vector<std::string> names_of(const std::vector<suite>& suites) {
  std::vector<std::string> names;
  for (const suite& s : suites) names.push_back(s.name);
  return names;
}

bool wanted(const options& o, const suite& s) {
  return o.suites.empty() || std::find(o.suites.begin(), o.suites.end(), s.name) != o.suites.end();
}

}  // namespace

command::command(CLI::App& app, std::vector<suite> suites, const choices& offered) : m_suites(std::move(suites)) {
  m_bench = app.add_subcommand("bench", "measure ramie, and beside it its peers");
  add_suites(*m_bench, m_options, names_of(m_suites));
  add_options(*m_bench, m_options, offered);
  m_child = app.add_subcommand("bench-child", "one repetition in a process of its own")->group("");
  m_child->add_option("suite", m_child_suite)->required();
  m_child->add_option("runtime", m_child_runtime)->required();
  m_child->add_option("size", m_child_size)->required();
  add_options(*m_child, m_child_options, offered);
  m_report = app.add_subcommand("report", "draw the page of a run that `bench --json` saved");
  m_report->add_option("file", m_saved, "the saved run")->type_name("FILE.json")->required();
  m_report->add_option("directory", m_directory, "where to write index.html")->type_name("DIR")->required();
}

bool command::chosen() const { return m_bench->parsed() || m_child->parsed() || m_report->parsed(); }

int command::run() {
  if (m_child->parsed()) return run_child_repetition();
  if (m_report->parsed()) return redraw();
  if (m_options.list) {
    list();
    return 0;
  }
  return run_suites();
}

void command::list() const {
  options all = m_options;
  all.peers = true;
  const peer_programs programs(true, m_options.peers_directory);
  for (const suite& s : m_suites) {
    if (!wanted(m_options, s)) continue;
    fmt::print("{}: {}\n", s.name, s.summary);
    const plan work = s.make_plan(all, programs);
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::string>> runtimes;
    for (const group& g : work.groups) {
      for (const contender& c : g.contenders) {
        for (const row_name& row : c.rows) {
          auto& names = runtimes[row.row];
          if (names.empty()) order.push_back(row.row);
          if (std::find(names.begin(), names.end(), c.runtime) == names.end()) names.push_back(c.runtime);
        }
      }
    }
    for (const std::string& row : order) {
      fmt::print("  {:<20}", row);
      for (const std::string& runtime : runtimes[row]) fmt::print(" {}", runtime);
      fmt::print("\n");
    }
    for (const std::string& line : work.absent) fmt::print("  absent: {}\n", line);
  }
}

int command::run_suites() {
  // A file that cannot be written is better known before the measurement than after it.
  if (!m_options.json_file.empty()) check_writable(m_options.json_file);
  if (!m_options.report_directory.empty()) check_report_directory(m_options.report_directory);
  const interruption interrupt;
  const machine m = describe_machine();
  fmt::print("{}{}", machine_text(m), options_text(m_options));
  if (m_options.runs < 5) fmt::print("Fewer than five repetitions: a look, not a measurement.\n");
  std::fflush(stdout);

  const peer_programs programs(m_options.peers, m_options.peers_directory);
  std::vector<row_result> results;
  std::vector<std::string> absent;
  report page{.on = m, .with = m_options, .sections = {}};
  progress_line line(stderr);
  run_control control;
  control.repetitions = m_options.runs;
  control.on_step = [&](const progress& p) { line.show(p); };
  control.stop = [] { return interruption::came(); };
  for (const suite& s : m_suites) {
    if (!wanted(m_options, s) || control.stop()) continue;
    const plan work = s.make_plan(m_options, programs);
    const auto rows = run_plan(s.name, work, control);
    line.clear();
    fmt::print("{}", table_text(rows));
    for (const std::string& note : work.notes) fmt::print("  {}\n", note);
    std::fflush(stdout);
    results.insert(results.end(), rows.begin(), rows.end());
    page.sections.push_back({s.name, s.summary, rows_together(rows), work.notes});
    if (!m_options.report_directory.empty() && s.pictures && !control.stop()) {
      page.sections.back().pictures = s.pictures(m_options);
    }
    absent.insert(absent.end(), work.absent.begin(), work.absent.end());
  }
  if (m_options.peers) {
    const std::set<std::string> once(absent.begin(), absent.end());
    for (const std::string& peer : once) fmt::print("absent: {}\n", peer);
    page.absent.assign(once.begin(), once.end());
  }

  const auto bad = static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [](const row_result& r) { return !r.verified; }));
  if (!m_options.json_file.empty()) write_atomically(m_options.json_file, to_json(m, m_options, results));
  if (!m_options.report_directory.empty()) {
    page.interrupted = control.stop();
    write_report(page, m_options.report_directory);
  }
  if (control.stop()) {
    fmt::print("Interrupted: these are the rows that were measured before it.\n");
    return 130;
  }
  if (bad == 0) return 0;
  std::fflush(stdout);
  fmt::print(stderr, "{} of {} rows did not verify:\n", bad, results.size());
  for (const row_result& r : results) {
    if (!r.verified) fmt::print(stderr, "  {} {} {} {}: {}\n", r.suite, r.row, r.runtime, r.workers, r.complaint);
  }
  return 1;
}

int command::run_child_repetition() {
  for (const suite& s : m_suites) {
    if (s.name != m_child_suite || !s.in_child) continue;
    const auto samples = s.in_child(m_child_runtime, m_child_options, m_child_size);
    fmt::print("{}", to_lines(samples));
    return std::all_of(samples.begin(), samples.end(), [](const sample& x) { return x.verified; }) ? 0 : 1;
  }
  fmt::print(stderr, "there is no suite '{}' that runs in a child process\n", m_child_suite);
  return 2;
}

int command::redraw() const {
  redraw_report(m_saved, m_directory, m_suites);
  return 0;
}

std::vector<std::string> child_repetition(const std::string& suite_name, const std::string& runtime, unsigned workers,
                                          std::size_t size, const options& o) {
  std::vector<std::string> arguments{own_path(), "bench-child", suite_name, runtime, std::to_string(size)};
  options mine = o;
  mine.workers = {workers};
  for (std::string& argument : to_arguments(mine)) arguments.push_back(std::move(argument));
  return arguments;
}

}  // namespace bench
