#include "balanced/suite.hpp"

#include <fmt/format.h>

#include "balanced/contenders.hpp"
#include "framework/machine.hpp"
#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace balanced;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_stealing, [=] { return run_ramie(library_options(o, w), n); });
    b.add("control", w, row_stealing, [=] { return run_control(w, n); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row_stealing, [=] { return run_tbb(w, n); });
#endif
    b.add_program("balanced_go", "go", w, row_stealing,
                  {std::to_string(n.fibers), std::to_string(n.iterations), std::to_string(w)});
  }
  if (b.peers()) b.add("std_thread", usable_cpus(), row_stealing, [=] { return run_std_thread(n); });
  tell_absent(b, {"tbb"});
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_no_stealing, [=] { return run_ramie(without_stealing(library_options(o, w)), n); });
  }
  b.note(fmt::format("us a fiber: {} fibers of {} iterations, all spawned by one. control: split evenly over threads.",
                     n.fibers, n.iterations));
  return b.take();
}

}  // namespace

suite balanced_suite() {
  return {.name = "balanced",
          .summary = "fibers of equal length, all spawned by one; with stealing and without",
          .make_plan = make_plan};
}

}  // namespace bench
