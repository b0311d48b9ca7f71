#include "queues/tables.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "framework/report.hpp"
#include "framework/usage.hpp"
#include "queues/problem.hpp"

namespace bench::queues {
namespace {

using row_list = std::vector<const row_result*>;

/// Of ramie, verified.
row_list of_row(const std::vector<row_result>& rows, const std::string& name) {
  row_list found;
  for (const row_result& r : rows) {
    if (r.row == name && r.runtime == "ramie" && r.verified) found.push_back(&r);
  }
  return found;
}

double stat(const row_result& r, const std::string& name) {
  const auto found = r.stats.find(name);
  return found == r.stats.end() ? 0 : found->second;
}

std::string percent_more(double value, double than) {
  return than == 0 ? "-" : fmt::format("{:+.1f} %", (value / than - 1) * 100);
}

/// The source's five thieves and a million steals a second, or what comes nearest.
row_list busiest(const std::vector<row_result>& rows) {
  for (const char* frequency : {"1m", "100k"}) {
    for (unsigned thieves = 5; thieves > 0; --thieves) {
      row_list found = of_row(rows, fmt::format("throughput_4b_{}t_{}", thieves, frequency));
      if (found.size() > 1) return found;
    }
  }
  return {};
}

std::string relative_table(const std::vector<row_result>& rows) {
  const row_list found = busiest(rows);
  const auto base =
      std::find_if(found.begin(), found.end(), [](const row_result* r) { return r->queue == "bwos_lifo"; });
  if (base == found.end()) return {};
  std::string text =
      fmt::format("  {:<34}{:>12}{:>12}{:>12}\n", "throughput against bwos_lifo", "total", "steals", "owner");
  // Not the median of the totals: that is of another repetition than the median owner.
  const auto total = [](const row_result& r) { return stat(r, "thieves_per_s") + stat(r, "owner_per_s"); };
  for (const row_result* r : found) {
    if (r == *base) continue;
    text += fmt::format("    {:<32}{:>12}{:>12}{:>12}\n", r->queue, percent_more(total(*r), total(**base)),
                        percent_more(stat(*r, "thieves_per_s"), stat(**base, "thieves_per_s")),
                        percent_more(stat(*r, "owner_per_s"), stat(**base, "owner_per_s")));
  }
  return text + fmt::format("    (table 5.1, of means as there; row {})\n", found.front()->row);
}

std::string counter_table(const std::vector<row_result>& rows) {
  std::string lines;
  for (const char* bytes : {"8", "4"}) {
    for (const row_result* r : of_row(rows, fmt::format("throughput_{}b_0t", bytes))) {
      if (stat(*r, "cpu_cycles") == 0) continue;
      const double references = stat(*r, "cache_references");
      lines += fmt::format("    {:<24}{:>8}{:>12}{:>12}{:>12}{:>12.2f}\n", r->queue, bytes, number_text(references),
                           number_text(stat(*r, "cache_misses")),
                           percent_text(references == 0 ? 0 : stat(*r, "cache_misses") / references),
                           stat(*r, "instructions") / stat(*r, "cpu_cycles"));
    }
  }
  if (lines.empty()) return {};
  return fmt::format("  {:<26}{:>8}{:>12}{:>12}{:>12}{:>12}\n", "cache, owner alone", "bytes", "references", "misses",
                     "miss rate", "instr/cycle") +
         lines + "    (table 5.2)\n";
}

std::string status_table(const std::vector<row_result>& rows) {
  const row_list found = of_row(rows, row_status);
  if (found.empty()) return {};
  std::string text = fmt::format("  {:<34}{:>12}{:>12}{:>12}{:>16}{:>16}\n", "steals of two thieves, flat out", "item",
                                 "empty", "lost race", "failed: empty", "failed: race");
  for (const row_result* r : found) {
    const double attempts = stat(*r, stat_attempts);
    const double empties = stat(*r, stat_empties);
    const double races = stat(*r, stat_lost_races);
    const auto share = [](double part, double of) { return of == 0 ? std::string("-") : percent_text(part / of); };
    text += fmt::format("    {:<32}{:>12}{:>12}{:>12}{:>16}{:>16}\n", r->queue, share(stat(*r, stat_steals), attempts),
                        share(empties, attempts), share(races, attempts), share(empties, empties + races),
                        share(races, empties + races));
  }
  return text + "    (table 5.3 and figure 5.7)\n";
}

std::string fairness_table(const std::vector<row_result>& rows) {
  const row_list found = of_row(rows, row_wait);
  if (found.empty()) return {};
  std::string text = fmt::format("  {:<24}{:>10}{:>10}{:>10}{:>10}{:>12}{:>14}{:>10}{:>14}\n", "wait of an item, us",
                                 "median", "99 %", "99.9 %", "longest", "mean", "variance", "starved", "CPU ns/item");
  for (const row_result* r : found) {
    text += fmt::format("    {:<22}{:>10}{:>10}{:>10}{:>10}{:>12}{:>14}{:>10}{:>14}\n", r->queue,
                        number_text(stat(*r, "wait_median_us")), number_text(stat(*r, "wait_hundredth_us")),
                        number_text(stat(*r, "wait_thousandth_us")), number_text(stat(*r, "wait_most_us")),
                        number_text(stat(*r, "wait_mean_us")), number_text(stat(*r, "wait_variance_us")),
                        number_text(stat(*r, "starved")), number_text(stat(*r, "cpu_ns_an_item")));
  }
  return text;
}

}  // namespace

std::string queue_tables(const std::vector<row_result>& rows) {
  return relative_table(rows) + counter_table(rows) + status_table(rows) + fairness_table(rows);
}

}  // namespace bench::queues
