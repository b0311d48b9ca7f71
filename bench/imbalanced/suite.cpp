#include "imbalanced/suite.hpp"

#include <fmt/format.h>

#include "imbalanced/contenders.hpp"
#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace imbalanced;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_stealing, [=] { return run_ramie(library_options(o, w), n); });
    b.add("control", w, row_stealing, [=] { return run_control(w, n); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row_stealing, [=] { return run_tbb(w, n); });
#endif
    b.add_program("imbalanced_go", "go", w, row_stealing,
                  {std::to_string(n.fibers), std::to_string(n.heavy), std::to_string(n.light), std::to_string(w)});
  }
  tell_absent(b, {"tbb"});
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_no_stealing, [=] { return run_ramie(without_stealing(library_options(o, w)), n); });
  }
  b.note(fmt::format("us a fiber: {} fibers, every tenth of {} iterations, the others of {}, all spawned by one.",
                     n.fibers, n.heavy, n.light));
  b.note(
      "control: plain threads, each with as much work as the others. worker_cycles: inside the loops, time off the "
      "CPU included.");
  return b.take();
}

}  // namespace

suite imbalanced_suite() {
  return {.name = "imbalanced",
          .summary = "fibers of which a tenth is a hundred times as long; with stealing and without; cycles a worker",
          .make_plan = make_plan};
}

}  // namespace bench
