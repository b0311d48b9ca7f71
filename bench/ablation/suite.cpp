#include "ablation/suite.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "ablation/problem.hpp"
#include "ablation/tables.hpp"
#include "fib/contenders.hpp"
#include "framework/child.hpp"
#include "framework/command.hpp"
#include "kernel/compiled_peers.hpp"
#include "kernel/thread_pool.hpp"
#include "mergesort/contenders.hpp"
#include "nqueens/contenders.hpp"
#include "quicksort/contenders.hpp"
#include "simpson/contenders.hpp"

namespace bench {
namespace {

using namespace ablation;

#if RAMIE_BENCH_TBB
timed run_tbb(std::string_view name, unsigned workers, const sizes& n) {
  timed run = [&] {
    if (name == "mergesort") {
      return mergesort::run_tbb(workers, mergesort::merging::sequential, mergesort::problem_of(n.mergesort));
    }
    if (name == "quicksort") return quicksort::run_tbb(workers, quicksort::problem_of(n.quicksort));
    if (name == "nqueens") return nqueens::run_tbb(workers, n.queens);
    if (name == "simpson") return simpson::run_tbb(workers, simpson::problem_of(n.simpson));
    return fib::run_tbb(workers, n.fib);
  }();
  run.operations = 1;
  return run;
}
#endif

timed run_in_child(const options& o, row_of_time row, unsigned workers) {
  sample s = samples_of_child(child_repetition("ablation", row.row, workers, 0, o), {{row.row, row.unit}}).front();
  return {.operations = 1,
          .seconds = s.value,  // see in_child()
          .verified = s.verified,
          .complaint = std::move(s.complaint),
          .stats = std::move(s.stats)};
}

void add_program_of_source(plan_builder& b, const options& o, const program& p) {
  const sizes n = sizes_at(o.scale());
  const auto prepare = [prepare = p.prepare, n] { prepare(n); };
  for (const unsigned w : b.workers()) {
    for (const line& each : lines()) {
      const std::string name(each.name);
      if (each.for_good) {
        b.add(name, w, p.row, [=, row = p.row] { return run_in_child(o, row, w); });
      } else {
        b.add(name, w, p.row, [=, run = p.run, chosen = options_of(each, w)] { return run(chosen, n); }, prepare);
      }
    }
    b.add("ramie", w, p.row, [=, run = p.run_ramie] { return run(pool_options(o, w), n); }, prepare, "split");
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, p.row, [=, row = p.row] { return run_tbb(row.row, w, n); }, prepare);
#endif
  }
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  for (const program& each : ablation::programs()) add_program_of_source(b, o, each);
  tell_absent(b, {"tbb"});
  const sizes n = sizes_at(o.scale());
  b.note(
      fmt::format("ms a run: merge sort of {} and quicksort of {} integers, {} queens, Simpson from {}, fib({}); a "
                  "task for one part of every fork, as in the suites of these names.",
                  n.mergesort.items, n.quicksort.items, n.queens, n.simpson.from, n.fib));
  b.note(
      "base to padding: a thread pool with one lock and one list a worker (bench/ablation/locked_pool), each line with "
      "those before it. fewer_locks to futex: each alone on top of padding. ramie: the pool that thread_pool_new "
      "makes.");
  b.note("mallopt lasts as long as a process: each of its runs has one of its own.");
  return b.take();
}

// The line that outlasts its pool; the row stands in the runtime's place. The value is the seconds of the whole.
std::vector<sample> in_child(const std::string& row, const options& o, std::size_t) {
  const unsigned workers = o.workers.empty() ? 1 : o.workers.front();
  const line* const chosen = line_for_good();
  for (const program& each : ablation::programs()) {
    if (chosen == nullptr || row != each.row.row) continue;
    timed run = each.run(options_of(*chosen, workers), sizes_at(o.scale()));
    return {{.row = row,
             .value = run.seconds,
             .verified = run.verified,
             .complaint = std::move(run.complaint),
             .stats = std::move(run.stats)}};
  }
  throw std::invalid_argument(fmt::format("ablation: there is no row '{}' for a child process", row));
}

}  // namespace

suite ablation_suite() {
  std::vector<std::string> steps;
  for (const line& each : lines()) steps.emplace_back(each.name);
  return {.name = "ablation",
          .summary = "what each optimization of a student's thread pool brings, on five fork/join programs",
          .make_plan = make_plan,
          .in_child = in_child,
          .text_after = table_of,
          .steps = std::move(steps)};
}

}  // namespace bench
