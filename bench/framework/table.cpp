#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <string>

#include "framework/report.hpp"
#include "framework/text_table.hpp"
#include "framework/usage.hpp"

namespace bench {
namespace {

tint tint_of(const row_result& r) { return !r.verified ? tint::bad : r.runtime == "ramie" ? tint::ours : tint::plain; }

const row_result* ramie_of(const std::vector<row_result>& rows, const row_result& other) {
  const row_result* best = nullptr;
  for (const row_result& r : rows) {
    if (r.runtime != "ramie" || r.suite != other.suite || r.row != other.row || r.values.median <= 0) continue;
    if (r.workers == other.workers) return &r;
    if (best == nullptr) best = &r;
  }
  return best;
}

std::string note_text(const row_result& r) {
  std::string note;
  if (!r.verified) note += fmt::format("NOT VERIFIED: {}. ", r.complaint);
  if (r.values.wide()) note += fmt::format("spread {:.0f} %", r.values.spread() * 100);
  return note;
}

std::string values_table(const std::vector<row_result>& rows, const report_style& style) {
  text_table table({"row", "runtime", "queue", "workers", "median", "min", "max", "unit", "vs ramie", "runs", ""}, 3);
  std::string previous;
  for (const row_result& r : rows) {
    table.add({r.row == previous ? "" : r.row, r.runtime, r.queue, std::to_string(r.workers),
               number_text(r.values.median), number_text(r.values.min), number_text(r.values.max), r.unit,
               ratio_text(rows, r), std::to_string(r.values.runs), note_text(r)},
              tint_of(r), r.verified ? tint::faint : tint::bad);
    previous = r.row;
  }
  return table.text(style.colours);
}

// One of a series, such as worker_cycles_0, worker_cycles_1: for the JSON file and the report, too many for the table.
bool is_series(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
}

std::string statistics_table(const std::vector<row_result>& rows, const report_style& style) {
  constexpr std::array names{stat_steals, stat_attempts, stat_success_rate,       stat_lost_races, stat_empties,
                             stat_parks,  stat_wakeups,  stat_voluntary_switches, stat_cpu_seconds};
  const bool queues = std::any_of(rows.begin(), rows.end(), [&](const row_result& r) {
    return !r.queue.empty() && std::any_of(rows.begin(), rows.end(), [&](const row_result& other) {
      return !other.queue.empty() && other.queue != r.queue;
    });
  });
  std::vector<std::string> header{"row", "runtime"};
  if (queues) header.emplace_back("queue");
  const std::size_t texts = header.size();
  for (const char* title : {"workers", "steals", "attempts", "success", "lost", "empty", "parks", "wake-ups",
                            "vol. switches", "cpu s", ""}) {
    header.emplace_back(title);
  }
  text_table table(std::move(header), texts);
  std::string previous;
  for (auto it = rows.begin(); it != rows.end(); ++it) {
    const row_result& r = *it;
    // Several rows of one contender have the same statistics: once is enough.
    const bool repeated = std::any_of(rows.begin(), it, [&](const row_result& before) {
      return before.runtime == r.runtime && before.workers == r.workers && before.queue == r.queue &&
             before.stats == r.stats;
    });
    if (repeated) continue;
    std::vector<std::string> cells{r.row == previous ? "" : r.row, r.runtime};
    if (queues) cells.push_back(r.queue);
    cells.push_back(std::to_string(r.workers));
    previous = r.row;
    for (const char* name : names) {
      const auto stat = r.stats.find(name);
      cells.push_back(stat == r.stats.end()       ? "-"
                      : name == stat_success_rate ? percent_text(stat->second)
                                                  : number_text(stat->second));
    }
    std::string others;
    for (const auto& [name, value] : r.stats) {
      if (std::find(names.begin(), names.end(), name) == names.end() && !is_series(name)) {
        others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name, number_text(value));
      }
    }
    cells.push_back(others);
    table.add(std::move(cells), r.runtime == "ramie" ? tint::ours : tint::plain, tint::faint);
  }
  // Wrapped lines are worse than none.
  if (style.columns != 0 && table.columns() > style.columns) {
    return fmt::format("  left out here: its {} columns do not fit into {}; a pipe and --json FILE get it\n",
                       table.columns(), style.columns);
  }
  return table.text(style.colours);
}

}  // namespace

std::string ratio_text(const std::vector<row_result>& rows, const row_result& r) {
  if (r.runtime == "ramie") return "";
  const row_result* ours = ramie_of(rows, r);
  if (ours == nullptr || r.values.median <= 0) return "";
  const double ratio = r.values.median / ours->values.median;
  return fmt::format("{:.{}f}x", ratio, ratio < 10 ? 2 : 0);
}

std::vector<row_result> rows_together(const std::vector<row_result>& rows) {
  std::vector<row_result> together;
  for (auto it = rows.begin(); it != rows.end(); ++it) {
    if (std::any_of(rows.begin(), it, [&](const row_result& before) { return before.row == it->row; })) continue;
    std::copy_if(it, rows.end(), std::back_inserter(together), [&](const row_result& r) { return r.row == it->row; });
  }
  return together;
}

std::string number_text(double value) {
  const double size = std::fabs(value);
  if (!std::isfinite(value)) return "-";
  if (size < 1000) {
    const int decimals = size == 0 || size == std::floor(size) ? 0 : size < 10 ? 3 : size < 100 ? 2 : 1;
    return fmt::format("{:.{}f}", value, decimals);
  }
  const std::string digits = fmt::format("{:.0f}", size);
  std::string text(value < 0 ? 1 : 0, '-');
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string percent_text(double share) {
  const double percent = share * 100;
  // A thousandth of a percent is not nothing: of a million attempts it is ten.
  return percent == 0 || percent >= 0.1 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.2g} %", percent);
}

std::string machine_text(const machine& m) {
  std::string text = fmt::format(
      "{}, {} core{}{}{}, {:.1f} GiB, {}, {}\n{} {}\n", m.cpu, m.cores, m.cores == 1 ? "" : "s",
      m.usable_cores < m.cores ? fmt::format(" ({} usable)", m.usable_cores) : "", m.virtual_machine ? ", virtual" : "",
      static_cast<double>(m.memory_bytes) / (1024.0 * 1024 * 1024), m.kernel, m.system, m.compiler, m.flags);
  if (m.load > 0.5 * m.usable_cores) {
    text +=
        fmt::format("The machine is busy (load {:.1f}): compare rows with each other, not with other runs.\n", m.load);
  }
  return text;
}

std::string options_text(const options& o) {
  return fmt::format(
      "workers {}, queue {}, bwos {}x{} {}, victim {}, stealing {}, pin {}, backoff {}, spin {}, seed {}, {}{}{} "
      "run{}{}\n",
      o.workers.empty() ? "by suite" : fmt::format("{}", fmt::join(o.workers, ",")), o.queue, o.bwos_blocks,
      o.bwos_entries, o.bwos_grant, o.victim, o.stealing, o.pin ? "on" : "off", o.backoff,
      o.spin_ns ? fmt::format("{} ns", *o.spin_ns) : "default", o.seed,
      o.quick  ? "quick, "
      : o.full ? "full, "
               : "",
      o.peers ? "peers, " : "", o.runs, o.runs == 1 ? "" : "s",
      o.neighbours == 0   ? ""
      : o.neighbours == 1 ? ", beside a busy neighbour"
                          : fmt::format(", beside {} busy neighbours", o.neighbours));
}

std::string distances_text(const options& o) {
  if (o.topology.empty() && !o.steal_threshold) return {};
  return fmt::format("topology {}, steal threshold {}\n", o.topology.empty() ? "of this machine" : o.topology,
                     o.steal_threshold ? std::to_string(*o.steal_threshold) : "default");
}

std::string table_text(const std::vector<row_result>& rows, const report_style& style) {
  std::string text;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].suite == rows[begin].suite) ++end;
    // A contender of several rows gives them together; the reader wants the contenders of a row together.
    const auto suite = rows_together(
        {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)});
    text += fmt::format("\n{}\n{}\n{}\n{}", style.colours.paint(tint::heading, suite.front().suite),
                        values_table(suite, style), style.colours.paint(tint::heading, "  a repetition:"),
                        statistics_table(suite, style));
    begin = end;
  }
  return text;
}

}  // namespace bench
