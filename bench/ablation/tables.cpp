#include "ablation/tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

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

}  // namespace

std::string table_of(const std::vector<row_result>& rows) {
  const std::vector<column> columns = columns_of(rows);
  std::vector<std::string> names;
  for (const row_result& r : rows) {
    if (std::find(names.begin(), names.end(), r.runtime) == names.end()) names.push_back(r.runtime);
  }
  std::string text = fmt::format("  {:<20}", "ms, program/threads");
  for (const column& c : columns) text += fmt::format("{:>10} ", c.heading);
  text += "\n";
  for (const std::string& name : names) {
    text += fmt::format("    {:<18}", name);
    for (const column& c : columns) {
      const row_result* const found = find(rows, name, c);
      if (found == nullptr) {
        text += fmt::format("{:>10} ", "-");
      } else {
        text += fmt::format("{:>10.2f}{}", found->values.median, found->values.median == best_of(rows, c) ? '*' : ' ');
      }
    }
    text += "\n";
  }
  return text + "    * the best of its column\n";
}

}  // namespace bench::ablation
