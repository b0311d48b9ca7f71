#include "framework/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "framework/child.hpp"
#include "framework/output.hpp"
#include "framework/peers.hpp"
#include "framework/run_suites.hpp"
#include "framework/usage_errors.hpp"
#include "framework/whole_number.hpp"
#include "report/page.hpp"

namespace bench {
namespace {

std::vector<std::string> suite_names(const std::vector<suite>& suites) {
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
  add_suites(*m_bench, m_options, suite_names(m_suites));
  add_options(*m_bench, m_options, offered);
  m_child = app.add_subcommand("bench-child", "one repetition in a process of its own")->group("");
  m_child->add_option("suite", m_child_suite)->required();
  m_child->add_option("runtime", m_child_runtime)->required();
  m_child->add_option("size", m_child_size)->required()->transform(whole_number(0, SIZE_MAX));
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
  std::vector<suite> chosen;
  std::copy_if(m_suites.begin(), m_suites.end(), std::back_inserter(chosen),
               [this](const suite& s) { return wanted(m_options, s); });
  return run_suites(m_options, chosen);
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
