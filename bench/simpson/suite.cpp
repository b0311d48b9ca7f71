#include "simpson/suite.hpp"

#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "kernel/thread_pool.hpp"
#include "library/convert.hpp"
#include "simpson/contenders.hpp"

namespace bench {
namespace {

using namespace simpson;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  b.add("plain_call", 1, row, [=] { return run_plain_call(problem_of(n)); }, [=] { static_cast<void>(problem_of(n)); });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row, [=] { return run_ramie(library_options(o, w), problem_of(n)); });
    b.add("ramie_continuation", w, row,
          [=] { return run_ramie(leaving_continuations(library_options(o, w)), problem_of(n)); });
    b.add("ramie_threadpool", w, row, [=] { return run_threadpool(pool_options(o, w), problem_of(n)); });
    b.add("control", w, row, [=] { return run_control(w, problem_of(n)); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row, [=] { return run_tbb(w, problem_of(n)); });
#endif
  }
  tell_absent(b, {"tbb"});
  b.note(fmt::format(
      "ns a node: the integral of cos(1/x)/x^2 from {} to 1, each interval to within {}; a fork at every node that is "
      "not a leaf. control: the intervals of level 12 dealt out to plain threads in turns.",
      n.from, n.tolerance));
  return b.take();
}

}  // namespace

suite simpson_suite() {
  return {.name = "simpson", .summary = "adaptive integration, a fork at every interval", .make_plan = make_plan};
}

}  // namespace bench
