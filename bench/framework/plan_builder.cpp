#include "framework/plan_builder.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "framework/child.hpp"

namespace bench {
namespace {

double units_a_second(const std::string& unit) {
  if (unit == "ns") return 1e9;
  if (unit == "us") return 1e6;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1;
  throw std::invalid_argument("a row of time is in ns, us, ms or s, not in " + unit);
}

}  // namespace

void plan_builder::add(const std::string& runtime, unsigned workers, row_of_time row, std::function<timed()> once,
                       std::function<void()> prepare, const std::string& queue) {
  const double scale = units_a_second(row.unit);
  add_samples(
      runtime, workers, {{row.row, row.unit}},
      [row, scale, once = std::move(once)] {
        timed result = once();
        return std::vector<sample>{{.row = row.row,
                                    .value = result.seconds * scale / static_cast<double>(result.operations),
                                    .verified = result.verified,
                                    .complaint = std::move(result.complaint),
                                    .stats = std::move(result.stats)}};
      },
      std::move(prepare), queue);
}

void plan_builder::add_samples(const std::string& runtime, unsigned workers, std::vector<row_name> rows,
                               std::function<std::vector<sample>()> run, std::function<void()> prepare,
                               const std::string& queue) {
  put({.runtime = runtime,
       .workers = workers,
       .queue = runtime != "ramie" ? ""
                : queue.empty()    ? m_options.queue
                                   : queue,
       .rows = std::move(rows),
       .run = std::move(run),
       .prepare = std::move(prepare)});
}

void plan_builder::add_program(const std::string& program, const std::string& runtime, unsigned workers,
                               row_of_time row, std::vector<std::string> arguments) {
  add_program(program, runtime, workers, std::vector<row_name>{{row.row, row.unit}}, std::move(arguments));
}

void plan_builder::add_program(const std::string& program, const std::string& runtime, unsigned workers,
                               std::vector<row_name> rows, std::vector<std::string> arguments) {
  if (!m_programs.wanted()) return;
  const auto path = m_programs.find(program);
  if (!path) {
    m_plan.absent.push_back(m_programs.how_to_get(program));
    return;
  }
  arguments.insert(arguments.begin(), *path);
  put({.runtime = runtime, .workers = workers, .queue = "", .rows = rows, .run = [rows, arguments] {
         return samples_of_child(arguments, rows);
       }});
}

void plan_builder::add_per_operation(const std::string& runtime, unsigned workers, const std::string& row,
                                     timed_loop loop) {
  put(per_operation(runtime, workers, runtime == "ramie" ? m_options.queue : "", row, m_options.repetition_seconds(),
                    std::move(loop)));
}

void plan_builder::add_program_per_operation(const std::string& program, const std::string& runtime, unsigned workers,
                                             const std::string& row, const std::vector<std::string>& more) {
  if (!m_programs.wanted()) return;
  const auto path = m_programs.find(program);
  if (!path) {
    m_plan.absent.push_back(m_programs.how_to_get(program));
    return;
  }
  add_per_operation(runtime, workers, row, [path = *path, row, workers, more](std::uint64_t operations) {
    std::vector<std::string> arguments{path, row, std::to_string(operations), std::to_string(workers)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    sample s = samples_of_child(arguments, {{row, "ns"}}).front();
    return timed{.operations = operations,
                 .seconds = s.value * 1e-9 * static_cast<double>(operations),
                 .verified = s.verified,
                 .complaint = std::move(s.complaint),
                 .stats = std::move(s.stats)};
  });
}

void plan_builder::absent(const std::string& runtime, const std::string& package) {
  if (!m_programs.wanted()) return;
  m_plan.absent.push_back(fmt::format("{}: apt-get install {}, then configure and build again", runtime, package));
}

void plan_builder::put(contender c) {
  const std::string& row = c.rows.front().row;
  for (group& g : m_plan.groups) {
    if (g.name == row) return g.contenders.push_back(std::move(c));
  }
  m_plan.groups.push_back({.name = row, .contenders = {std::move(c)}});
}

}  // namespace bench
