#include "nqueens/suite.hpp"

#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "kernel/thread_pool.hpp"
#include "library/convert.hpp"
#include "nqueens/contenders.hpp"

namespace bench {
namespace {

using namespace nqueens;

void add_depth(plan_builder& b, const options& o, row_of_time row, unsigned depth) {
  const depth_size n = depth_size_at(o.scale(), depth);
  b.add("plain_call", 1, row, [=] { return run_plain_call(n.queens); });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row, [=] { return run_ramie(library_options(o, w), n); });
    b.add("ramie_threadpool", w, row, [=] { return run_threadpool(pool_options(o, w), n); });
    b.add("control", w, row, [=] { return run_control(w, n); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row, [=] { return run_tbb(w, n); });
#endif
#if RAMIE_BENCH_OPENMP
    if (b.peers()) b.add("openmp", w, row, [=] { return run_openmp(w, n); });
#endif
    b.add_program("nqueens_rayon", "rayon", w, row,
                  {std::to_string(n.queens), std::to_string(depth), std::to_string(w)});
  }
  b.note(fmt::format("{}: {} queens, {} tasks, all made by one.", row.row, n.queens,
                     placements_on_a_board(n.queens, depth)));
}

void add_every_node(plan_builder& b, const options& o) {
  const unsigned n = queens_at(o.scale());
  // The finest static split of the rows above.
  const depth_size split{.queens = n, .depth = 3};
  b.add("plain_call", 1, row_every_node, [=] { return run_plain_call(n); });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_every_node, [=] { return run_ramie(library_options(o, w), n); });
    b.add("ramie_continuation", w, row_every_node,
          [=] { return run_ramie(leaving_continuations(library_options(o, w)), n); });
    b.add("ramie_spawn", w, row_every_node, [=] { return run_ramie_spawn(library_options(o, w), n); });
    b.add("ramie_threadpool", w, row_every_node, [=] { return run_threadpool(pool_options(o, w), n); });
    b.add("control", w, row_every_node, [=] { return run_control(w, split); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row_every_node, [=] { return run_tbb(w, n); });
#endif
#if RAMIE_BENCH_OPENMP
    if (b.peers()) b.add("openmp", w, row_every_node, [=] { return run_openmp(w, n); });
#endif
    b.add_program("nqueens_rayon", "rayon", w, row_every_node, {std::to_string(n), "0", std::to_string(w)});
  }
  b.note(fmt::format("every_node: {} queens, a task at each of {} nodes; control: the placements of depth 3, split.", n,
                     known_of(n).nodes));
  if (b.peers()) {
    b.note("openmp in every_node: libgomp calls a task at once where 64 a thread wait, and with one thread always.");
  }
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  b.note("ns a node: a valid placement of one queen or more.");
  add_depth(b, o, row_depth1, 1);
  add_depth(b, o, row_depth2, 2);
  add_depth(b, o, row_depth3, 3);
  add_every_node(b, o);
  tell_absent(b, {"tbb", "openmp"});
  return b.take();
}

}  // namespace

suite nqueens_suite() {
  return {.name = "nqueens",
          .summary = "all solutions of the n queens: tasks for the first 1, 2, 3 rows; and a task at every node",
          .make_plan = make_plan};
}

}  // namespace bench
