#include "jobs/tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "jobs/problem.hpp"

namespace bench::jobs {
namespace {

using times = std::map<std::uint32_t, double>;  // of each workload, in ns

std::string table(const std::string& heading, const times& serial, const times& parallel) {
  std::string text = fmt::format("  {}\n    Workload  Serial Elapsed  Parallel Elapsed  Speedup\n", heading);
  for (const auto& [iterations, elapsed] : parallel) {
    const auto alone = serial.find(iterations);
    if (alone == serial.end()) continue;
    text += fmt::format("    {:>8}  {:>11.0f} ns  {:>13.0f} ns  {:>7.2f}", iterations, alone->second, elapsed,
                        alone->second / elapsed);
    if (elapsed > alone->second) text += fmt::format("  (- {:.0f})", elapsed - alone->second);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string speedup_tables(const std::vector<row_result>& rows) {
  const auto first = std::find_if(rows.begin(), rows.end(), [](const row_result& r) { return r.runtime == "ramie"; });
  if (first == rows.end()) return {};
  times serial;
  std::map<unsigned, times> parallel;  // of each worker count
  for (const row_result& r : rows) {
    const std::uint32_t iterations = iterations_of(r.row);
    if (iterations == 0 || !r.verified) continue;
    if (r.runtime == "plain_call") serial[iterations] = r.values.median;
    if (r.runtime == "ramie" && r.queue == first->queue) parallel[r.workers][iterations] = r.values.median;
  }
  std::string text;
  for (const auto& [workers, elapsed] : parallel) {
    text += table(fmt::format("ramie, queue {}, {} worker{}", first->queue, workers, workers == 1 ? "" : "s"), serial,
                  elapsed);
  }
  return text;
}

}  // namespace bench::jobs
