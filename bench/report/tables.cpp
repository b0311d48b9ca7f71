#include "report/tables.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "framework/report.hpp"
#include "framework/usage.hpp"
#include "report/html.hpp"

namespace bench {
namespace {

using html::element;
using html::escape;

struct column {
  const char* stat;
  const char* title;
};

constexpr std::array columns{column{stat_steals, "steals"},        column{stat_attempts, "attempts"},
                             column{stat_success_rate, "success"}, column{stat_lost_races, "lost races"},
                             column{stat_empties, "empties"},      column{stat_parks, "parks"},
                             column{stat_wakeups, "wake-ups"},     column{stat_voluntary_switches, "vol. switches"},
                             column{stat_cpu_seconds, "CPU s"}};

std::string head(const std::vector<std::pair<std::string, bool>>& titles) {
  std::string cells;
  for (const auto& [title, number] : titles) {
    cells += element("th", number ? " scope=\"col\" class=\"n\"" : " scope=\"col\"", escape(title));
  }
  return element("thead", "", element("tr", "", cells));
}

std::string cell(const std::string& text) { return element("td", "", escape(text)); }
std::string number_cell(const std::string& text) { return element("td", " class=\"n\"", escape(text)); }

/// The first cell of a line: the row's name where it changes, for the eye; always, for those who hear the page.
std::string row_cell(const row_result& r, bool again) {
  // A long name may break after each underscore.
  std::string name;
  for (const char c : escape(r.row)) {
    name += c;
    if (c == '_') name += "<wbr>";
  }
  return element("th", again ? " scope=\"row\" class=\"again\"" : " scope=\"row\"", element("span", "", name));
}

std::string line(const row_result& r, bool again, const std::string& cells) {
  std::string classes = again ? "" : "first";
  if (r.runtime == "ramie") classes += " ours";
  return element("tr", classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), cells) + "\n";
}

std::string table(const std::string& caption, const std::string& header, const std::string& body) {
  // A table that is too wide scrolls in its own box, also with the keyboard.
  return element(
      "div", fmt::format(" class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"", escape(caption)),
      element("table", "", element("caption", "", escape(caption)) + header + element("tbody", "", "\n" + body)));
}

std::string marks(const row_result& r) {
  std::string text;
  if (!r.verified) text += element("strong", " class=\"bad\"", "not verified: " + escape(r.complaint)) + " ";
  if (r.values.wide()) text += fmt::format("spread {:.0f} %", r.values.spread() * 100);
  return text;
}

}  // namespace

std::string values_table_html(const std::vector<row_result>& rows) {
  if (rows.empty()) return {};
  std::set<std::string> queues;
  std::set<std::string> units;
  std::set<std::size_t> runs;
  bool compared = false;
  bool marked = false;
  for (const row_result& r : rows) {
    if (!r.queue.empty()) queues.insert(r.queue);
    units.insert(r.unit);
    runs.insert(r.values.runs);
    compared = compared || !ratio_text(rows, r).empty();
    marked = marked || !marks(r).empty();
  }
  const bool one_unit = units.size() == 1;
  const bool one_run = runs.size() == 1;
  std::vector<std::pair<std::string, bool>> titles{{"row", false}, {"runtime", false}};
  if (queues.size() > 1) titles.emplace_back("queue", false);
  for (const char* title : {"workers", "median", "min", "max"}) titles.emplace_back(title, true);
  if (!one_unit) titles.emplace_back("unit", false);
  if (compared) titles.emplace_back("vs ramie", true);
  if (!one_run) titles.emplace_back("runs", true);
  if (marked) titles.emplace_back("", false);

  std::string body;
  const row_result* before = nullptr;
  for (const row_result& r : rows) {
    const bool again = before != nullptr && before->row == r.row;
    before = &r;
    std::string cells = row_cell(r, again) + cell(r.runtime);
    if (queues.size() > 1) cells += cell(r.queue);
    cells += number_cell(std::to_string(r.workers)) +
             element("td", " class=\"n median\"", escape(number_text(r.values.median))) +
             number_cell(number_text(r.values.min)) + number_cell(number_text(r.values.max));
    if (!one_unit) cells += cell(r.unit);
    if (compared) cells += number_cell(ratio_text(rows, r));
    if (!one_run) cells += number_cell(std::to_string(r.values.runs));
    if (marked) cells += element("td", " class=\"marks\"", marks(r));
    body += line(r, again, cells);
  }
  std::string caption = "Values";
  if (one_unit) caption += fmt::format(" in {}", *units.begin());
  if (one_run) caption += fmt::format(", of {} repetition{}", *runs.begin(), *runs.begin() == 1 ? "" : "s");
  if (queues.size() == 1) caption += fmt::format("; queue {}", *queues.begin());
  return table(caption, head(titles), body);
}

std::string statistics_table_html(const std::vector<row_result>& rows) {
  std::vector<column> used;
  for (const column& c : columns) {
    if (std::any_of(rows.begin(), rows.end(), [&](const row_result& r) { return r.stats.count(c.stat) != 0; })) {
      used.push_back(c);
    }
  }
  std::set<std::string> queues;
  for (const row_result& r : rows) {
    if (!r.queue.empty()) queues.insert(r.queue);
  }
  std::vector<const row_result*> shown;
  bool others = false;
  for (const row_result& r : rows) {
    if (r.stats.empty()) continue;
    // Several rows of one contender have the same statistics: once is enough.
    const bool repeated = std::any_of(shown.begin(), shown.end(), [&](const row_result* before) {
      return before->runtime == r.runtime && before->workers == r.workers && before->queue == r.queue &&
             before->stats == r.stats;
    });
    if (repeated) continue;
    shown.push_back(&r);
  }
  if (shown.empty()) return {};
  std::string body;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const row_result& r = *shown[i];
    const bool again = i != 0 && shown[i - 1]->row == r.row;
    std::string cells = row_cell(r, again) + cell(r.runtime);
    if (queues.size() > 1) cells += cell(r.queue);
    cells += number_cell(std::to_string(r.workers));
    statistics rest = r.stats;
    for (const column& c : used) {
      const auto stat = r.stats.find(c.stat);
      rest.erase(c.stat);
      cells += number_cell(stat == r.stats.end()         ? "–"
                           : c.stat == stat_success_rate ? percent_text(stat->second)
                                                         : number_text(stat->second));
    }
    others = others || !rest.empty();
    cells += element("td", " class=\"others\"", escape(families_text(rest)));
    body += line(r, again, cells);
  }
  std::vector<std::pair<std::string, bool>> titles{{"row", false}, {"runtime", false}};
  if (queues.size() > 1) titles.emplace_back("queue", false);
  titles.emplace_back("workers", true);
  for (const column& c : used) titles.emplace_back(c.title, true);
  titles.emplace_back(others ? "other" : "", false);
  return table("A repetition: means", head(titles), body);
}

std::string families_text(const statistics& stats) {
  std::map<std::string, std::map<unsigned, double>> families;
  std::vector<std::string> parts;
  for (const auto& [name, value] : stats) {
    const std::size_t end = name.find_last_not_of("0123456789");
    unsigned number = 0;
    const bool numbered = end != std::string::npos && end + 1 < name.size() && name[end] == '_' && end > 0 &&
                          std::from_chars(name.data() + end + 1, name.data() + name.size(), number).ec == std::errc();
    if (numbered) {
      families[name.substr(0, end)][number] = value;
    } else {
      parts.push_back(fmt::format("{} {}", name, number_text(value)));
    }
  }
  for (const auto& [name, members] : families) {
    // A distribution is for a plot and for the JSON file.
    constexpr std::size_t most = 24;
    if (members.size() > most) {
      parts.push_back(fmt::format("{}: {} numbers", name, members.size()));
      continue;
    }
    std::string text = name;
    for (const auto& [number, value] : members) {
      text += fmt::format("{} {}: {}", number == members.begin()->first ? "" : ",", number, number_text(value));
    }
    parts.push_back(text);
  }
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : "; ") + part;
  return all;
}

}  // namespace bench
