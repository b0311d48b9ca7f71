// The suite `scaling`: what work and span allow, beside what was measured, for every workload of the other suites.
#include "scaling/suite.hpp"

#include <ramie/scheduler/work_span.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

#include "framework/plan_builder.hpp"
#include "framework/runner.hpp"
#include "library/convert.hpp"
#include "library/workload.hpp"

namespace bench {
namespace {

constexpr std::array worker_counts{2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U};

statistics statistics_of(const ramie::work_span_result& r) {
  const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  statistics stats{{"work_s", seconds(r.work)},
                   {"span_s", seconds(r.span)},
                   {"burdened_span_s", seconds(r.burdened_span)},
                   {"parallelism", r.parallelism()}};
  for (const unsigned w : worker_counts) {
    stats[fmt::format("allowed_{}", w)] = r.allowed(w);
    stats[fmt::format("burdened_{}", w)] = r.burdened(w);
  }
  return stats;
}

/// One repetition: profiled on one worker, unless `profiled` has that already, then timed on one and on each of the
/// others.
std::vector<sample> measure(const workload& work, const options& o, const std::vector<unsigned>& workers,
                            statistics& profiled) {
  sample s;
  s.row = work.name;
  s.verified = true;
  const auto run = [&](const ramie::options& how) {
    const timed once = work.run(how, o.scale());
    if (s.verified && !once.verified) s.complaint = once.complaint;
    s.verified = s.verified && once.verified;
    return once.seconds / static_cast<double>(once.operations);
  };
  if (profiled.empty()) {
    ramie::work_span profile;
    ramie::options observed = library_options(o, 1);
    observed.events = &profile;
    run(observed);
    profiled = statistics_of(profile.result());
  }
  s.stats = profiled;
  const double alone = run(library_options(o, 1));
  s.value = 1;
  for (const unsigned w : workers) {
    if (w == 1) continue;
    s.value = alone / run(library_options(o, w));
    s.stats[fmt::format("measured_{}", w)] = s.value;
  }
  return {std::move(s)};
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  std::vector<unsigned> workers = b.workers();
  std::sort(workers.begin(), workers.end());
  for (const workload& work : all_workloads()) {
    if (work.has_own_options) continue;
    b.add_samples("ramie", workers.back(), {{work.name, "x"}},
                  [=, once = o.quick, profiled = std::make_shared<statistics>()] {
                    if (!once) profiled->clear();
                    return measure(work, o, workers, *profiled);
                  });
  }
  b.note(
      "x: speed-up over one worker. Work and span are measured on one worker, where algorithms divide as for 64; "
      "options.profile does it for any program.");
  if (o.quick) b.note("Work and span are those of the first repetition: with --quick each program is profiled once.");
  return b.take();
}

std::string table_of_bounds(const std::vector<row_result>& rows) {
  std::string text =
      fmt::format("  {:<28}{:>11}{:>11}{:>12}", "speed-up that T1/P + Tinf allows", "T1 ms", "Tinf ms", "burdened");
  for (const unsigned w : worker_counts) text += fmt::format("{:>8}", w);
  for (const row_result& r : rows) {
    const auto stat = [&](const std::string& name) {
      const auto found = r.stats.find(name);
      return found == r.stats.end() ? 0.0 : found->second;
    };
    text += fmt::format("\n  {:<33}{:>11.2f}{:>11.3f}{:>12.3f}", r.row, stat("work_s") * 1e3, stat("span_s") * 1e3,
                        stat("burdened_span_s") * 1e3);
    for (const unsigned w : worker_counts) text += fmt::format("{:>8.2f}", stat(fmt::format("allowed_{}", w)));
  }
  return text + "\n";
}

}  // namespace

suite scaling_suite() {
  return {
      .name = "scaling",
      .summary = "work and span of each workload, the speed-up that they allow at 2 ... 1024 workers, and the measured",
      .make_plan = make_plan,
      .in_child = {},
      .text_after = table_of_bounds};
}

}  // namespace bench
