#include "framework/run_suites.hpp"

#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

#include "framework/interruption.hpp"
#include "framework/machine.hpp"
#include "framework/neighbours.hpp"
#include "framework/output.hpp"
#include "framework/peers.hpp"
#include "framework/progress.hpp"
#include "framework/report.hpp"
#include "framework/runner.hpp"
#include "framework/summary.hpp"
#include "framework/usage_errors.hpp"
#include "report/page.hpp"

namespace bench {
namespace {

/// One run: what it has measured, and what it says of it. A summarized run prints no suite's tables.
class run_of_suites {
 public:
  run_of_suites(const options& o, const std::vector<suite>& chosen)
      : m_options(o),
        m_chosen(chosen),
        m_summarized(o.summary && chosen.size() > 1),
        m_style{.colours = palette_for(stdout, o.color), .columns = terminal_columns(stdout)} {
    m_page.on = describe_machine();
    m_page.with = o;
  }

  int run() {
    // A file that cannot be written is better known before the measurement than after it.
    check_places(m_options, m_chosen);
    const interruption interrupt;
    const std::string head = machine_text(m_page.on) + options_text(m_options) + distances_text(m_options) +
                             (m_options.runs < 5 ? "Fewer than five repetitions: a look, not a measurement.\n" : "");
    put(head);
    m_page.tables = head;
    std::optional<neighbours> beside;
    if (!done([&] { beside.emplace(m_options.neighbours); })) return 1;
    measure_all();
    beside.reset();
    say_absent();
    m_page.interrupted = stopped();
    if (m_summarized && !m_standings.empty()) put(summary_text(m_standings, m_style));
    const bool verified = tell_unverified();
    const bool written = save();
    if (stopped()) return say_interrupted();
    return written && verified ? 0 : 1;
  }

 private:
  /// A reader that has seen enough (`| head`) would otherwise be missed until the next table.
  bool stopped() {
    m_unread = m_unread || reader_gone();
    return m_unread || interruption::came();
  }

  /// Text of the whole tables; printed unless there is a summary instead.
  void say(const std::string& plain, const std::string& styled) {
    m_page.tables += plain;
    if (!m_summarized) put(styled);
  }

  void measure_all() {
    const peer_programs programs(m_options.peers, m_options.peers_directory);
    std::vector<plan> plans;
    std::size_t steps = 0;
    for (const suite& s : m_chosen) {
      plans.push_back(s.make_plan(m_options, programs));
      steps += steps_of(plans.back(), m_options.runs);
    }
    progress_line line(stderr, m_summarized ? progress_lines::five : progress_lines::every_group);
    std::size_t before = 0;
    run_control control;
    control.repetitions = m_options.runs;
    control.seed = m_options.seed;
    control.stop = [this] { return stopped(); };
    control.on_step = [&](progress p) {
      p.step += before;
      p.steps = steps;
      line.show(p);
    };
    for (std::size_t i = 0; i < m_chosen.size() && !stopped(); ++i) {
      const plan work = std::move(plans[i]);  // what it holds goes when its suite is done
      const auto rows = run_plan(m_chosen[i].name, work, control);
      before += steps_of(work, m_options.runs);
      line.clear();
      // Before its first row an interrupted suite has nothing to say.
      if (rows.empty() && stopped()) break;
      tell(m_chosen[i], work, rows);
    }
  }

  void tell(const suite& s, const plan& work, const std::vector<row_result>& rows) {
    report_section section{s.name, s.summary, rows_together(rows), work.notes};
    if (!m_options.report_directory.empty() && s.pictures && !stopped()) {
      try {
        section.pictures = s.pictures(m_options);
      } catch (const std::exception& problem) {
        section.notes.emplace_back(problem.what());  // the figures are worth more than a picture
      }
    }
    const std::string nothing = fmt::format("\n{}: {}\n  nothing was measured\n", s.name, s.summary);
    std::string after = s.text_after && !rows.empty() ? s.text_after(rows) : "";
    for (const std::string& note : section.notes) after += fmt::format("  {}\n", note);
    say((rows.empty() ? nothing : table_text(rows)) + after,
        (rows.empty() ? nothing : table_text(rows, m_style)) + after);
    m_standings.push_back(standing_of(s, rows, m_options.queue));
    m_results.insert(m_results.end(), rows.begin(), rows.end());
    m_page.sections.push_back(std::move(section));
    m_absent.insert(work.absent.begin(), work.absent.end());
  }

  void say_absent() {
    if (!m_options.peers) return;
    std::vector<std::string> names;
    for (const std::string& peer : m_absent) {
      const std::string text = fmt::format("absent: {}\n", peer);
      say(text, text);
      names.push_back(peer.substr(0, peer.find(':')));
    }
    m_page.absent.assign(m_absent.begin(), m_absent.end());
    if (m_summarized && !names.empty()) put(fmt::format("\nabsent peers: {}\n", fmt::join(names, ", ")));
  }

  /// True if there is nothing to tell.
  bool tell_unverified() {
    // The others of a summarized run are in its file.
    const std::size_t most = m_summarized && !m_options.report_directory.empty() ? 5 : m_results.size();
    std::string text;
    std::size_t bad = 0;
    for (const row_result& r : m_results) {
      if (r.verified || ++bad > most) continue;
      text += fmt::format("  {} {} {} {}: {}\n", r.suite, r.row, r.runtime, r.workers, r.complaint);
    }
    if (bad == 0) return true;
    if (bad > most) text += fmt::format("  and {} more, marked in the tables\n", bad - most);
    std::fputs(fmt::format("{} of {} rows did not verify:\n{}", bad, m_results.size(), text).c_str(), stderr);
    return false;
  }

  /// False, and a sentence on standard error, if `step` throws.
  template <class Step>
  static bool done(Step&& step) {
    try {
      step();
      return true;
    } catch (const std::runtime_error& problem) {
      std::fputs(fmt::format("ramie: {}\n", problem.what()).c_str(), stderr);
      return false;
    }
  }

  /// Writes the files that were asked for; false, and a sentence on standard error, if one cannot be written.
  bool save() const {
    // One that fails does not keep the other from being written.
    const bool json = m_options.json_file.empty() ||
                      done([&] { write_atomically(m_options.json_file, to_json(m_page.on, m_options, m_results)); });
    const bool html =
        m_options.report_directory.empty() || done([&] { write_report(m_page, m_options.report_directory); });
    if (m_summarized && m_options.report_directory.empty()) {
      put("The whole tables: without --summary, or with --report DIR in DIR/tables.txt.\n");
    }
    return json && html;
  }

  int say_interrupted() {
    const int signal = m_unread ? SIGPIPE : interruption::signal();
    if (signal != SIGPIPE) {
      put(m_results.empty() ? "Interrupted before the first row was measured.\n"
                            : "Interrupted: these are the rows that were measured before it.\n");
    }
    return 128 + signal;
  }

  const options& m_options;
  const std::vector<suite>& m_chosen;
  const bool m_summarized;
  const report_style m_style;
  bool m_unread = false;
  report m_page;
  std::vector<row_result> m_results;
  std::vector<standing> m_standings;
  std::set<std::string> m_absent;
};

}  // namespace

int run_suites(const options& o, const std::vector<suite>& chosen) { return run_of_suites(o, chosen).run(); }

}  // namespace bench
