#include "bfs/suite.hpp"

#include <fmt/format.h>

#include "bfs/contenders.hpp"
#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace bfs;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  b.add("plain_call", 1, row, [=] { return run_plain_call(problem_of(n)); }, [=] { static_cast<void>(problem_of(n)); });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row, [=] { return run_ramie(library_options(o, w), problem_of(n)); });
    b.add("control", w, row, [=] { return run_control(w, problem_of(n)); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row, [=] { return run_tbb(w, problem_of(n)); });
#endif
#if RAMIE_BENCH_OPENMP
    if (b.peers()) b.add("openmp", w, row, [=] { return run_openmp(w, problem_of(n)); });
#endif
    b.add_program("bfs_rayon", "rayon", w, row,
                  {std::to_string(n.nodes), std::to_string(n.degree), std::to_string(n.grain), std::to_string(w)});
  }
  tell_absent(b, {"tbb", "openmp"});
  b.note(
      fmt::format("ns an edge: {} nodes of degree {}, random, pieces of {} nodes; the statistic `levels` says how "
                  "often all wait for all. plain_call: sequential, with a queue. control: each level split evenly "
                  "over threads.",
                  n.nodes, n.degree, n.grain));
  return b.take();
}

}  // namespace

suite bfs_suite() {
  return {.name = "bfs",
          .summary = "breadth-first search of a random graph, level by level, beside the sequential one",
          .make_plan = make_plan};
}

}  // namespace bench
