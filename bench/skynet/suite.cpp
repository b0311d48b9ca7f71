#include "skynet/suite.hpp"

#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"
#include "skynet/contenders.hpp"

namespace bench {
namespace {

using namespace skynet;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const std::uint64_t n = leaves_at(o.scale());
  const std::uint64_t n_of_go = leaves_of_go_at(o.scale());
  b.add("plain_call", 1, row, [=] { return run_plain_call(n); });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row, [=] { return run_ramie(library_options(o, w), n); });
    b.add("ramie_continuation", w, row, [=] { return run_ramie(leaving_continuations(library_options(o, w)), n); });
    b.add("ramie_spawn", w, row, [=] { return run_ramie_spawn(library_options(o, w), n); });
    b.add("control", w, row, [=] { return run_control(w, n); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row, [=] { return run_tbb(w, n); });
#endif
    b.add_program("skynet_rayon", "rayon", w, row, {std::to_string(n), std::to_string(w)});
    b.add_program("skynet_go", "go", w, row, {std::to_string(n_of_go), std::to_string(w)});
  }
  tell_absent(b, {"tbb"});
  b.note(
      fmt::format("ns a leaf: {} leaves, ten children a node, every one of them a fork or a task; with 1,000,000 "
                  "leaves, ms for all. go: a goroutine and a channel each.",
                  n));
  if (b.peers() && n_of_go != n) b.note(fmt::format("go, which is slower: {} leaves.", n_of_go));
  return b.take();
}

}  // namespace

suite skynet_suite() {
  return {
      .name = "skynet", .summary = "a tree of tasks, ten children a node, a million leaves", .make_plan = make_plan};
}

}  // namespace bench
