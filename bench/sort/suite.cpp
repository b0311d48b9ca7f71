#include "sort/suite.hpp"

#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"
#include "sort/contenders.hpp"

namespace bench {
namespace {

using namespace sorting;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const std::size_t n = array_size_at(o.scale());
  for (const auto& [what, name] : rows) {
    const task t = what;
    const bool by_function = t == task::by_function || t == task::stable;
    b.add(
        "plain_call", 1, name, [=] { return run_plain_call(problem_of(t, n)); },
        [=] { static_cast<void>(problem_of(t, n)); });
#if RAMIE_BENCH_HIGHWAY
    if (b.peers() && !by_function) b.add("vqsort", 1, name, [=] { return run_vqsort(problem_of(t, n)); });
#else
    static_cast<void>(by_function);
#endif
    for (const unsigned w : b.workers()) {
      b.add("ramie", w, name, [=] { return run_ramie(library_options(o, w), problem_of(t, n)); });
      b.add("ramie_continuation", w, name,
            [=] { return run_ramie(leaving_continuations(library_options(o, w)), problem_of(t, n)); });
#if RAMIE_BENCH_TBB
      if (b.peers() && t != task::stable) b.add("tbb", w, name, [=] { return run_tbb(w, problem_of(t, n)); });
#endif
      b.add_program("sort_rayon", "rayon", w, name,
                    {std::to_string(static_cast<int>(t)), std::to_string(n), std::to_string(w)});
    }
  }
  tell_absent(b, {"tbb", "vqsort"});
  b.note(
      fmt::format("ns an item: {} 64-bit integers. plain_call: std::sort, std::stable_sort. rayon: par_sort_unstable, "
                  "par_sort. stable_sort: by the upper half of each item.",
                  n));
  return b.take();
}

}  // namespace

suite sort_suite() {
  return {.name = "sort",
          .summary = "the library's sort: random, sorted, reversed, few distinct, by a function, stable",
          .make_plan = make_plan};
}

}  // namespace bench
