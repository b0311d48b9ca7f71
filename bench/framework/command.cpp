#include "framework/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "framework/child.hpp"
#include "framework/interruption.hpp"
#include "framework/machine.hpp"
#include "framework/output.hpp"
#include "framework/peers.hpp"
#include "framework/progress.hpp"
#include "framework/report.hpp"
#include "framework/runner.hpp"
#include "framework/usage_errors.hpp"
#include "report/page.hpp"

namespace bench {
namespace {

std::vector<std::string> names_of(const std::vector<suite>& suites) {
  std::vector<std::string> names;
  for (const suite& s : suites) names.push_back(s.name);
  return names;
}

bool wanted(const options& o, const suite& s) {
  return o.suites.empty() || std::find(o.suites.begin(), o.suites.end(), s.name) != o.suites.end();
}

/// True if there is nothing to tell.
bool tell_unverified(const std::vector<row_result>& results) {
  std::string text;
  std::size_t bad = 0;
  for (const row_result& r : results) {
    if (r.verified) continue;
    ++bad;
    text += fmt::format("  {} {} {} {}: {}\n", r.suite, r.row, r.runtime, r.workers, r.complaint);
  }
  if (bad == 0) return true;
  std::fputs(fmt::format("{} of {} rows did not verify:\n{}", bad, results.size(), text).c_str(), stderr);
  return false;
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
  m_report->add_option("file", m_saved, "the run that was saved as JSON")->type_name("FILE")->required();
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
  std::string text;
  options all = m_options;
  all.peers = true;
  const peer_programs programs(true, m_options.peers_directory);
  for (const suite& s : m_suites) {
    if (!wanted(m_options, s)) continue;
    text += fmt::format("{}: {}\n", s.name, s.summary);
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
      text += fmt::format("  {:<20}", row);
      for (const std::string& runtime : runtimes[row]) text += fmt::format(" {}", runtime);
      text += "\n";
    }
    for (const std::string& line : std::set(work.absent.begin(), work.absent.end()))
      text += fmt::format("  absent: {}\n", line);
  }
  put(text);
}

int command::run_suites() {
  // A file that cannot be written is better known before the measurement than after it.
  std::vector<suite> chosen;
  std::copy_if(m_suites.begin(), m_suites.end(), std::back_inserter(chosen),
               [this](const suite& s) { return wanted(m_options, s); });
  check_places(m_options, chosen);
  const interruption interrupt;
  const report_style style{.colours = palette_for(stdout, m_options.color), .columns = terminal_columns(stdout)};
  const machine m = describe_machine();
  put(machine_text(m) + options_text(m_options) + distances_text(m_options) +
      (m_options.runs < 5 ? "Fewer than five repetitions: a look, not a measurement.\n" : ""));

  const peer_programs programs(m_options.peers, m_options.peers_directory);
  std::vector<row_result> results;
  std::vector<std::string> absent;
  report page{.on = m, .with = m_options, .sections = {}};
  progress_line line(stderr);
  run_control control;
  control.repetitions = m_options.runs;
  control.seed = m_options.seed;
  control.on_step = [&](const progress& p) { line.show(p); };
  bool unread = false;
  control.stop = [&unread] {
    // A reader that has seen enough (`| head`) would otherwise be missed until the next table.
    unread = unread || reader_gone();
    return unread || interruption::came();
  };
  for (const suite& s : chosen) {
    if (control.stop()) break;
    const plan work = s.make_plan(m_options, programs);
    const auto rows = run_plan(s.name, work, control);
    line.clear();
    report_section section{s.name, s.summary, rows_together(rows), work.notes};
    if (!m_options.report_directory.empty() && s.pictures && !control.stop()) {
      try {
        section.pictures = s.pictures(m_options);
      } catch (const std::exception& problem) {
        section.notes.emplace_back(problem.what());  // the figures are worth more than a picture
      }
    }
    // Before its first row an interrupted suite has nothing to say.
    if (rows.empty() && control.stop()) break;
    std::string text =
        rows.empty() ? fmt::format("\n{}: {}\n  nothing was measured\n", s.name, s.summary) : table_text(rows, style);
    if (s.text_after && !rows.empty()) text += s.text_after(rows);
    for (const std::string& note : section.notes) text += fmt::format("  {}\n", note);
    put(text);
    results.insert(results.end(), rows.begin(), rows.end());
    page.sections.push_back(std::move(section));
    absent.insert(absent.end(), work.absent.begin(), work.absent.end());
  }
  if (m_options.peers) {
    const std::set<std::string> once(absent.begin(), absent.end());
    for (const std::string& peer : once) put(fmt::format("absent: {}\n", peer));
    page.absent.assign(once.begin(), once.end());
  }

  page.interrupted = control.stop();
  const bool written = save(page, results);
  const bool verified = tell_unverified(results);
  if (control.stop()) {
    const int signal = unread ? SIGPIPE : interruption::signal();
    if (signal != SIGPIPE) {
      put(results.empty() ? "Interrupted before the first row was measured.\n"
                          : "Interrupted: these are the rows that were measured before it.\n");
    }
    return 128 + signal;
  }
  return written && verified ? 0 : 1;
}

bool command::save(const report& page, const std::vector<row_result>& results) const {
  const auto done = [](auto&& write) {
    try {
      write();
      return true;
    } catch (const std::runtime_error& problem) {
      std::fputs(fmt::format("ramie: {}\n", problem.what()).c_str(), stderr);
      return false;
    }
  };
  // One that fails does not keep the other from being written.
  const bool json = m_options.json_file.empty() ||
                    done([&] { write_atomically(m_options.json_file, to_json(page.on, m_options, results)); });
  const bool html = m_options.report_directory.empty() || done([&] { write_report(page, m_options.report_directory); });
  return json && html;
}

int command::run_child_repetition() {
  for (const suite& s : m_suites) {
    if (s.name != m_child_suite || !s.in_child) continue;
    const auto samples = s.in_child(m_child_runtime, m_child_options, m_child_size);
    put(to_lines(samples));
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
