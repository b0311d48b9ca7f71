#include "mergesort/suite.hpp"

#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "kernel/thread_pool.hpp"
#include "library/convert.hpp"
#include "mergesort/contenders.hpp"

namespace bench {
namespace {

using namespace mergesort;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  for (const merging how : {merging::sequential, merging::parallel}) {
    const row_of_time row = row_of(how);
    b.add(
        "plain_call", 1, row, [=] { return run_plain_call(problem_of(n)); }, [=] { static_cast<void>(problem_of(n)); });
    for (const unsigned w : b.workers()) {
      b.add("ramie", w, row, [=] { return run_ramie(library_options(o, w), how, problem_of(n)); });
      b.add("ramie_continuation", w, row,
            [=] { return run_ramie(leaving_continuations(library_options(o, w)), how, problem_of(n)); });
      b.add("ramie_spawn", w, row, [=] { return run_ramie_spawn(library_options(o, w), how, problem_of(n)); });
      b.add("ramie_threadpool", w, row, [=] { return run_threadpool(pool_options(o, w), how, problem_of(n)); });
      b.add("control", w, row, [=] { return run_control(w, how, problem_of(n)); });
#if RAMIE_BENCH_TBB
      if (b.peers()) b.add("tbb", w, row, [=] { return run_tbb(w, how, problem_of(n)); });
#endif
#if RAMIE_BENCH_OPENMP
      if (b.peers()) b.add("openmp", w, row, [=] { return run_openmp(w, how, problem_of(n)); });
#endif
      b.add_program("mergesort_rayon", "rayon", w, row,
                    {std::to_string(n.items), std::to_string(n.cutoff), std::to_string(n.merge_grain),
                     how == merging::parallel ? "1" : "0", std::to_string(w)});
    }
  }
  tell_absent(b, {"tbb", "openmp"});
  b.note(
      fmt::format("ns an item: {} random 32-bit integers, leaves of at most {}. {}: halves merged by one call. {}: "
                  "in pieces of at most {}. control: the upper levels split evenly over threads.",
                  n.items, n.cutoff, row_sequential_merge.row, row_parallel_merge.row, n.merge_grain));
  return b.take();
}

}  // namespace

suite mergesort_suite() {
  return {.name = "mergesort",
          .summary = "merge sort of random integers, with a sequential merge at each join and with a parallel one",
          .make_plan = make_plan};
}

}  // namespace bench
