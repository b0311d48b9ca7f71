#include "jobs/suite.hpp"

#include <fmt/format.h>

#include "jobs/contenders.hpp"
#include "jobs/tables.hpp"
#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace jobs;
namespace queue = ramie::queue;

/// The kinds of --queue, and the source's own, a ring with one index word, unless the user named one.
std::vector<queue::kind> kinds_of(const options& o) {
  const queue::kind chosen = library_options(o, 1).queue;
  if (o.queue_given || chosen == queue::kind::exchange) return {chosen};
  return {chosen, queue::kind::exchange};
}

/// ramie, the control and the peers in one row.
template <class Size>
void add_parallel(plan_builder& b, const options& o, row_of_time row, const Size& size, unsigned workers) {
  for (const queue::kind kind : kinds_of(o)) {
    ramie::options chosen = library_options(o, workers);
    chosen.queue = kind;
    b.add("ramie", workers, row, [=] { return run_ramie(chosen, size); }, {}, std::string(queue::name_of(kind)));
  }
  b.add("control", workers, row, [=] { return jobs::run_control(workers, size); });
#if RAMIE_BENCH_TBB
  if (b.peers()) b.add("tbb", workers, row, [=] { return run_tbb(workers, size); });
#endif
}

void add_batch(plan_builder& b, const options& o, row_of_time row, std::uint32_t iterations) {
  const batch serial = serial_batch_at(o.scale(), iterations);
  const batch parallel = batch_at(o.scale(), iterations);
  b.add("plain_call", 1, row, [=] { return run_plain_call(serial); });
  for (const unsigned w : b.workers()) {
    add_parallel(b, o, row, parallel, w);
    b.add("ramie_no_parents", w, row, [=] { return run_ramie_no_parents(library_options(o, w), parallel); });
  }
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  add_batch(b, o, row_empty, 0);
  for (const std::uint32_t iterations : iterations_at(o.scale())) {
    add_batch(b, o, row_of_work(iterations), iterations);
  }
  const tree t = tree_at(o.scale());
  b.add("plain_call", 1, row_tree, [=] { return run_plain_call(t); });
  for (const unsigned w : b.workers()) add_parallel(b, o, row_tree, t, w);
  tell_absent(b, {"tbb"});
  b.note(fmt::format(
      "ns a job: {} jobs, of no iterations (empty) or so many of the source's loop, each of which adds its result to a "
      "place of its worker; in rounds, after one that is not timed. ramie: the children of a root job; "
      "ramie_no_parents: jobs without a parent, on the queue of the options, and a counter. tbb: task_group::run. "
      "control: split evenly over threads. "
      "plain_call: {} calls of the loop; speed-up is its time over the row's.",
      batch_at(o.scale(), 0).jobs, serial_batch_at(o.scale(), 0).jobs));
  b.note(fmt::format("tree: ns a job of {}, {} levels, each the child of the one above. tbb: one task_group for all.",
                     t.jobs(), t.levels));
  return b.take();
}

}  // namespace

suite jobs_suite() {
  return {.name = "jobs",
          .summary = "10,000 small jobs beside a serial loop, by the work in each; and a tree of a million",
          .make_plan = make_plan,
          .in_child = {},
          .text_after = speedup_tables};
}

}  // namespace bench
