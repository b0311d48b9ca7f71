#include "framework/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <tuple>

#include "framework/text_table.hpp"

namespace bench {
namespace {

bool is_plain(const std::string& runtime) { return runtime == "plain_call" || runtime == "plain_ring"; }

bool is_peer(const suite& about, const row_result& r) {
  if (r.runtime == "ramie" || r.runtime.starts_with("ramie_") || r.runtime == "control" || is_plain(r.runtime)) {
    return false;
  }
  return std::find(about.steps.begin(), about.steps.end(), r.runtime) == about.steps.end();
}

bool usable(const row_result& r) { return r.verified && std::isfinite(r.values.median) && r.values.median > 0; }

/// How many times the cost of `theirs` that of `ours` is.
double cost_ratio(const row_result& ours, const row_result& theirs) {
  const double ratio = ours.values.median / theirs.values.median;
  return more_is_better(ours.unit) ? 1 / ratio : ratio;
}

/// The rows of ramie, one a name and worker count.
std::vector<row_result> rows_of_ramie(const std::vector<row_result>& rows, const std::string& queue) {
  std::vector<row_result> ours;
  for (const row_result& r : rows) {
    if (r.runtime != "ramie") continue;
    const auto same = std::find_if(ours.begin(), ours.end(), [&](const row_result& before) {
      return before.row == r.row && before.workers == r.workers;
    });
    if (same == ours.end()) {
      ours.push_back(r);
    } else if (r.queue == queue && same->queue != queue) {
      *same = r;
    }
  }
  return ours;
}

/// The control with as many workers; else what needs no second thread; else a control with another number.
std::optional<row_result> control_of(const std::vector<row_result>& rows, const row_result& ours) {
  const row_result* best = nullptr;
  int best_rank = 0;
  for (const row_result& r : rows) {
    const bool control = r.runtime == "control";
    if (r.row != ours.row || !usable(r) || (!control && !is_plain(r.runtime))) continue;
    const bool same = r.workers == ours.workers;
    const int rank = control ? (same ? 4 : 1) : (same ? 3 : 2);
    if (rank > best_rank) {
      best = &r;
      best_rank = rank;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

comparison compare(const suite& about, const std::vector<row_result>& rows, const row_result& ours) {
  comparison c{.ours = ours, .control = control_of(rows, ours), .peer = std::nullopt};
  for (const row_result& r : rows) {
    if (r.row != ours.row || r.workers != ours.workers || !is_peer(about, r) || !usable(r)) continue;
    const double ratio = cost_ratio(ours, r);
    if (ratio > c.ratio) {
      c.peer = r;
      c.ratio = ratio;
    }
  }
  return c;
}

/// The line of a suite without peers.
std::optional<comparison> headline_of(const suite& about, const std::vector<comparison>& all) {
  const comparison* best = nullptr;
  double worst = 0;
  for (const comparison& c : all) {
    if (c.ours.row == about.headline) return c;
    const double ratio = c.control ? cost_ratio(c.ours, *c.control) : 0;
    if (best == nullptr || ratio > worst) {
      best = &c;
      worst = ratio;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

double hundredths(double ratio) { return std::round(ratio * 100); }

std::string ratio_cell(const comparison& c) {
  return fmt::format("{}{:.{}f}", c.overlaps() ? "~" : "", c.ratio, c.ratio < 10 ? 2 : 1);
}

std::string control_cell(const comparison& c) {
  if (!c.control) return "-";
  const std::string value = number_text(c.control->values.median);
  return c.control->runtime == "control" ? value : fmt::format("{} {}", c.control->runtime, value);
}

enum class column { mark, suite, row, workers, unit, ramie, control, peer, ratio, behind, note };

struct cells {
  std::array<std::string, 11> text;
  std::string& operator[](column c) { return text[static_cast<std::size_t>(c)]; }
};

cells cells_of(const standing& s) {
  cells c;
  c.text.fill("-");
  c[column::mark] = std::string(1, s.behind > 0 || s.unverified > 0 ? '!' : ' ');
  c[column::suite] = s.suite;
  c[column::note] = s.unverified > 0 ? fmt::format("{} of {} rows NOT VERIFIED", s.unverified, s.rows)
                    : s.rows == 0    ? "nothing was measured"
                                     : "";
  if (!s.worst) return c;
  const comparison& w = *s.worst;
  c[column::row] = w.ours.row;
  c[column::workers] = std::to_string(w.ours.workers);
  c[column::unit] = w.ours.unit;
  c[column::ramie] = number_text(w.ours.values.median);
  c[column::control] = control_cell(w);
  if (!w.peer) return c;
  c[column::peer] = fmt::format("{} {}", w.peer->runtime, number_text(w.peer->values.median));
  c[column::ratio] = ratio_cell(w);
  c[column::behind] = fmt::format("{} of {}", s.behind, s.compared);
  return c;
}

text_table table_of(const std::vector<standing>& standings, const std::set<column>& left_out) {
  const auto shown = [&](const cells& all) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < all.text.size(); ++i) {
      if (left_out.count(static_cast<column>(i)) == 0) some.push_back(all.text[i]);
    }
    return some;
  };
  text_table table(shown({{" ", "suite", "worst row", "workers", "unit", "ramie", "control", "best peer", "ramie/peer",
                           "behind", ""}}),
                   3);
  for (const standing& s : standings) {
    const bool bad = s.behind > 0 || s.unverified > 0;
    table.add(shown(cells_of(s)), bad ? tint::bad : tint::plain, tint::bad);
  }
  return table;
}

}  // namespace

bool comparison::behind() const { return hundredths(ratio) > 100; }

bool comparison::overlaps() const {
  return peer && ours.values.min <= peer->values.max && peer->values.min <= ours.values.max;
}

standing standing_of(const suite& about, const std::vector<row_result>& rows, const std::string& queue) {
  standing s{.suite = about.name, .worst = std::nullopt, .rows = rows.size()};
  s.unverified = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const row_result& r) { return !r.verified; }));
  std::vector<comparison> all;
  for (const row_result& ours : rows_of_ramie(rows, queue)) {
    if (usable(ours)) all.push_back(compare(about, rows, ours));
  }
  for (const comparison& c : all) {
    if (!c.peer) continue;
    ++s.compared;
    if (c.behind()) ++s.behind;
    if (!s.worst || c.ratio > s.worst->ratio) s.worst = c;
  }
  if (!s.worst) s.worst = headline_of(about, all);
  return s;
}

std::string summary_text(std::vector<standing> standings, const report_style& style) {
  const auto badness = [](const standing& s) {
    return std::tuple(s.unverified > 0, s.worst ? s.worst->ratio : 0.0, s.rows > 0);
  };
  std::stable_sort(standings.begin(), standings.end(),
                   [&](const standing& a, const standing& b) { return badness(a) > badness(b); });
  std::set<column> left_out;
  text_table table = table_of(standings, left_out);
  for (const column c : {column::control, column::unit, column::workers}) {
    if (style.columns == 0 || table.columns() <= style.columns) break;
    left_out.insert(c);
    table = table_of(standings, left_out);
  }
  const bool peers = std::any_of(standings.begin(), standings.end(), [](const standing& s) { return s.compared > 0; });
  constexpr const char* with_peers =
      "  ramie/peer: below 1.00 ramie is ahead, also where more is better (1/us, op/s). ! marks the suites in\n"
      "  which a peer is ahead in some row, \"behind\" says in how many. ~: the repetitions of both overlap.\n";
  constexpr const char* without = "  No peers: --peers adds those that are here.\n";
  return fmt::format("\n{}{}", table.text(style.colours), peers ? with_peers : without);
}

bool more_is_better(const std::string& unit) {
  if (unit == "x") return true;
  const std::size_t slash = unit.rfind('/');
  if (slash == std::string::npos) return false;
  const std::string_view each = std::string_view(unit).substr(slash + 1);
  constexpr std::array times{"s", "ms", "us", "ns"};
  return std::any_of(times.begin(), times.end(), [&](const char* t) { return each == t; });
}

}  // namespace bench
