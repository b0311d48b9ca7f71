#include "loops/suite.hpp"

#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"
#include "loops/contenders.hpp"

namespace bench {
namespace {

using namespace loops;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const std::size_t n = array_size_at(o.scale());
  for (const auto& [what, name] : rows) {
    const algorithm a = what;
    b.add(
        "plain_call", 1, name, [=] { return run_plain_call(problem_of(a, n)); },
        [=] { static_cast<void>(problem_of(a, n)); });
    for (const unsigned w : b.workers()) {
      b.add("ramie", w, name, [=] { return run_ramie(library_options(o, w), problem_of(a, n)); });
      b.add("ramie_continuation", w, name,
            [=] { return run_ramie(leaving_continuations(library_options(o, w)), problem_of(a, n)); });
#if RAMIE_BENCH_TBB
      if (b.peers()) b.add("tbb", w, name, [=] { return run_tbb(w, problem_of(a, n)); });
#endif
    }
  }
  tell_absent(b, {"tbb"});
  b.note(
      fmt::format("ns an element: {} 64-bit integers. parallel_for: a[i] = 2 i + 1. No grain is given; plain_call: the "
                  "loop alone, in a fiber.",
                  n));
  return b.take();
}

}  // namespace

suite loops_suite() {
  return {.name = "loops",
          .summary = "parallel_for, reduce and inclusive_scan over elements that cost next to nothing",
          .make_plan = make_plan};
}

}  // namespace bench
