#include "ablation/tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "ablation/problem.hpp"

namespace bench::ablation {
namespace {

struct column {
  std::string row;
  unsigned workers;
  std::string heading;
};

std::vector<column> columns_of(const std::vector<row_result>& rows) {
  std::vector<column> found;
  for (const program& each : programs()) {
    for (const row_result& r : rows) {
      if (r.row != each.row.row) continue;
      std::string heading = fmt::format("{}/{}", each.heading, r.workers);
      const bool known = std::any_of(found.begin(), found.end(), [&](const column& c) { return c.heading == heading; });
      if (!known) found.push_back({.row = r.row, .workers = r.workers, .heading = std::move(heading)});
    }
  }
  return found;
}

/// Null: it did not run, or not rightly.
const row_result* find(const std::vector<row_result>& rows, const std::string& runtime, const column& in) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const row_result& r) {
    return r.runtime == runtime && r.row == in.row && r.workers == in.workers && r.verified;
  });
  return at == rows.end() ? nullptr : &*at;
}

double best_of(const std::vector<row_result>& rows, const column& in) {
  double best = 0;
  for (const row_result& r : rows) {
    if (r.row != in.row || r.workers != in.workers || !r.verified) continue;
    if (best == 0 || r.values.median < best) best = r.values.median;
  }
  return best;
}

unsigned most_workers(const std::vector<column>& columns) {
  unsigned most = 0;
  for (const column& c : columns) most = std::max(most, c.workers);
  return most;
}

/// The source's column MQNSF: the times of all programs with most threads, added up. 0: one of them is missing.
double total_of(const std::vector<row_result>& rows, const std::vector<column>& columns, const std::string& name) {
  double sum = 0;
  std::size_t count = 0;
  for (const column& c : columns) {
    const row_result* const found = c.workers == most_workers(columns) ? find(rows, name, c) : nullptr;
    if (found == nullptr) continue;
    sum += found->values.median;
    ++count;
  }
  return count == programs().size() ? sum : 0;
}

/// A time of the table; 0: unknown.
std::string cell(double value, double best) {
  return value == 0 ? fmt::format("{:>10} ", "-") : fmt::format("{:>10.2f}{}", value, value == best ? '*' : ' ');
}

/// The line that this one is based on; empty: none.
std::string_view line_below(std::string_view name) {
  std::string_view below;
  for (const line& each : lines()) {
    if (each.name == name) return below;
    if (each.kept) below = each.name;
  }
  return name == "ramie" ? below : std::string_view{};
}

/// The time of the line below over that of the line, on average over the programs with most threads. 0: unknown.
double gain_of(const std::vector<row_result>& rows, const std::vector<column>& columns, const std::string& name) {
  const std::string below(line_below(name));
  double sum = 0;
  int count = 0;
  for (const column& c : columns) {
    const row_result* const with = find(rows, name, c);
    const row_result* const without = find(rows, below, c);
    if (c.workers != most_workers(columns) || with == nullptr || without == nullptr) continue;
    sum += std::log(without->values.median / with->values.median);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

}  // namespace

std::string table_of(const std::vector<row_result>& rows) {
  const std::vector<column> columns = columns_of(rows);
  std::vector<std::string> names;
  for (const row_result& r : rows) {
    if (std::find(names.begin(), names.end(), r.runtime) == names.end()) names.push_back(r.runtime);
  }
  double best_total = 0;
  for (const std::string& name : names) {
    const double total = total_of(rows, columns, name);
    if (total != 0 && (best_total == 0 || total < best_total)) best_total = total;
  }
  std::string text =
      fmt::format("  {:<20}{:>10} ", "ms, program/threads", fmt::format("MQNSF/{}", most_workers(columns)));
  for (const column& c : columns) text += fmt::format("{:>10} ", c.heading);
  text += "   gain\n";
  for (const std::string& name : names) {
    text += fmt::format("    {:<18}", name) + cell(total_of(rows, columns, name), best_total);
    for (const column& c : columns) {
      const row_result* const found = find(rows, name, c);
      text += cell(found == nullptr ? 0 : found->values.median, best_of(rows, c));
    }
    const double gain = gain_of(rows, columns, name);
    text += gain == 0 ? "      -\n" : fmt::format("{:>6.2f}x\n", gain);
  }
  return text +
         "    * the best of its column; MQNSF: all programs with most threads added up, as in the source; gain:\n"
         "      how many times as fast as the line it stands on, those programs together. Within a fifth of 1 it is\n"
         "      noise on most machines.\n";
}

}  // namespace bench::ablation
