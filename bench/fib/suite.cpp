#include "fib/suite.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "fib/contenders.hpp"
#include "framework/child.hpp"
#include "framework/command.hpp"
#include "kernel/compiled_peers.hpp"
#include "kernel/thread_pool.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace fib;

#if RAMIE_BENCH_BOOST_FIBER
timed boost_fiber_in_child(const options& o, row_of_time row, unsigned workers, unsigned n, std::uint64_t operations) {
  sample s = samples_of_child(child_repetition("fib", row.row, workers, n, o), {{row.row, row.unit}}).front();
  return {.operations = operations,
          .seconds = s.value,  // see in_child()
          .verified = s.verified,
          .complaint = std::move(s.complaint),
          .stats = std::move(s.stats)};
}
#endif

void add_cutoff(plan_builder& b, const options& o) {
  const cutoff_size n = cutoff_size_at(o.scale());
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_cutoff, [=] { return run_ramie(library_options(o, w), n); });
    b.add("control", w, row_cutoff, [=] { return run_control(w, n); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row_cutoff, [=] { return run_tbb(w, n); });
#endif
#if RAMIE_BENCH_OPENMP
    if (b.peers()) b.add("openmp", w, row_cutoff, [=] { return run_openmp(w, n); });
#endif
#if RAMIE_BENCH_BOOST_FIBER
    if (b.peers()) {
      b.add("boost_fiber", w, row_cutoff,
            [=] { return boost_fiber_in_child(o, row_cutoff, w, n.n, leaves_below(n.n, n.cutoff)); });
    }
#endif
    const std::vector<std::string> arguments{std::to_string(n.n), std::to_string(n.cutoff),
                                             std::to_string(n.iterations), std::to_string(w)};
    b.add_program("fib_rayon", "rayon", w, row_cutoff, arguments);
    b.add_program("fib_tokio", "tokio", w, row_cutoff, arguments);
    b.add_program("fib_go", "go", w, row_cutoff, arguments);
  }
  const cutoff_size source = cutoff_size_at(scale::full);
  const std::string told = n.iterations == source.iterations
                               ? ""
                               : fmt::format(" (the source: fib({}), {}, as --full)", source.n, source.iterations);
  b.note(
      fmt::format("cutoff20: us a leaf; fib({}), {} leaves at n <= {}, each with {} iterations after its recursion{}. "
                  "control: the leaves split evenly over threads.",
                  n.n, leaves_below(n.n, n.cutoff), n.cutoff, n.iterations, told));
}

void add_no_cutoff(plan_builder& b, const options& o) {
  const unsigned n = n_at(o.scale());
  const unsigned n_of_go = n_of_go_at(o.scale());
  b.add("plain_call", 1, row_no_cutoff, [=] { return run_plain_call(n); });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_no_cutoff, [=] { return run_ramie(library_options(o, w), n); });
    b.add("ramie_continuation", w, row_no_cutoff,
          [=] { return run_ramie(leaving_continuations(library_options(o, w)), n); });
    b.add("ramie_threadpool", w, row_no_cutoff, [=] { return run_threadpool(pool_options(o, w), n); });
    b.add("control", w, row_no_cutoff, [=] { return run_control(w, n); });
    b.add("ramie_spawn", w, row_no_cutoff, [=] { return run_ramie_spawn(library_options(o, w), n); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row_no_cutoff, [=] { return run_tbb(w, n); });
#endif
#if RAMIE_BENCH_OPENMP
    if (b.peers()) b.add("openmp", w, row_no_cutoff, [=] { return run_openmp(w, n); });
#endif
#if RAMIE_BENCH_BOOST_FIBER
    if (b.peers()) {
      const unsigned n_of_boost = n_of_boost_fiber_at(o.scale());
      b.add("boost_fiber", w, row_no_cutoff,
            [=] { return boost_fiber_in_child(o, row_no_cutoff, w, n_of_boost, nodes_of(n_of_boost)); });
    }
#endif
    const auto arguments = [w](unsigned size) {
      return std::vector<std::string>{std::to_string(size), "0", "0", std::to_string(w)};
    };
    b.add_program("fib_rayon", "rayon", w, row_no_cutoff, arguments(n));
    b.add_program("fib_tokio", "tokio", w, row_no_cutoff, arguments(n));
    b.add_program("fib_go", "go", w, row_no_cutoff, arguments(n_of_go));
  }
  b.note(fmt::format(
      "no_cutoff: ns a node of fib({}), {} nodes; every node that is not a leaf forks two children (ramie; "
      "ramie_continuation, where the rest of the caller may be stolen instead of the second) or spawns one "
      "and calls the "
      "other (ramie_spawn, ramie_threadpool, most peers). control: plain calls, subtrees split over plain threads.",
      n, nodes_of(n)));
  const auto note_smaller = [&](const char* runtime, unsigned smaller) {
    if (!b.peers() || smaller == n) return;
    b.note(fmt::format("no_cutoff of {}, which is slower: fib({}), {} nodes.", runtime, smaller, nodes_of(smaller)));
  };
  note_smaller("go", n_of_go);
  note_smaller("boost_fiber", n_of_boost_fiber_at(o.scale()));
  if (b.peers()) b.note("openmp: libgomp calls a task at once where 64 a thread wait, and with one thread always.");
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  add_cutoff(b, o);
  add_no_cutoff(b, o);
  tell_absent(b, {"tbb", "openmp", "boost_fiber"});
  return b.take();
}

// Boost.Fiber; `row` stands in the runtime's place. The value is the seconds of the whole.
std::vector<sample> in_child(const std::string& row, const options& o, std::size_t n) {
#if RAMIE_BENCH_BOOST_FIBER
  const unsigned workers = o.workers.empty() ? 1 : o.workers.front();
  const auto sample_of = [&](timed run) {
    return std::vector<sample>{{.row = row,
                                .value = run.seconds,
                                .verified = run.verified,
                                .complaint = std::move(run.complaint),
                                .stats = std::move(run.stats)}};
  };
  if (row == row_cutoff.row) {
    cutoff_size size = cutoff_size_at(o.scale());
    size.n = static_cast<unsigned>(n);
    return sample_of(run_boost_fiber(workers, size));
  }
  if (row == row_no_cutoff.row) return sample_of(run_boost_fiber(workers, static_cast<unsigned>(n)));
#endif
  static_cast<void>(o);
  throw std::invalid_argument(fmt::format("fib: there is no row '{}' of {} for a child process", row, n));
}

}  // namespace

suite fib_suite() {
  return {.name = "fib",
          .summary = "Fibonacci numbers by recursion: long leaves below a cutoff; and a spawn at every node",
          .make_plan = make_plan,
          .in_child = in_child};
}

}  // namespace bench
