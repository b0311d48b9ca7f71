#include "quicksort/suite.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "kernel/compiled_peers.hpp"
#include "kernel/thread_pool.hpp"
#include "library/convert.hpp"
#include "library/kinds.hpp"
#include "quicksort/contenders.hpp"

namespace bench {
namespace {

using namespace quicksort;
namespace queue = ramie::queue;

/// The block-based queues with blocks as the source has them, and each grant: a row each.
struct shape {
  row_of_time row;
  std::size_t entries;
  queue::grant granting;

  [[nodiscard]] queue::block_shape blocks() const {
    constexpr std::size_t items = 1024;  // in all, whatever the size of a block
    return {.blocks = items / entries, .entries = entries, .granting = granting};
  }
};

constexpr std::array shapes{
    shape{{"quicksort_b8_early", "ns"}, 8, queue::grant::early},
    shape{{"quicksort_b8_faithful", "ns"}, 8, queue::grant::faithful},
    shape{{"quicksort_b16_early", "ns"}, 16, queue::grant::early},
    shape{{"quicksort_b16_faithful", "ns"}, 16, queue::grant::faithful},
    shape{{"quicksort_b64_early", "ns"}, 64, queue::grant::early},
    shape{{"quicksort_b64_faithful", "ns"}, 64, queue::grant::faithful},
};

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  const std::vector<queue::kind> kinds = kinds_to_compare(o);
  const auto compared = [&](queue::kind kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
  const auto add_ramie = [&](row_of_time in, unsigned w, queue::kind kind, const queue::block_shape* blocks) {
    ramie::options chosen = library_options(o, w);
    chosen.queue = kind;
    if (blocks != nullptr) chosen.queue_settings.blocks = *blocks;
    b.add("ramie", w, in, [=] { return run_ramie(chosen, problem_of(n)); }, {}, std::string(queue::name_of(kind)));
  };
  b.add("plain_call", 1, row, [=] { return run_plain_call(problem_of(n)); }, [=] { static_cast<void>(problem_of(n)); });
  for (const unsigned w : b.workers()) {
    for (const queue::kind kind : kinds) add_ramie(row, w, kind, nullptr);
    b.add("ramie_fork_join", w, row, [=] { return run_ramie_fork_join(library_options(o, w), problem_of(n)); });
    b.add("ramie_continuation", w, row,
          [=] { return run_ramie_fork_join(leaving_continuations(library_options(o, w)), problem_of(n)); });
    b.add("ramie_threadpool", w, row, [=] { return run_threadpool(pool_options(o, w), problem_of(n)); });
    b.add("control", w, row, [=] { return run_control(w, problem_of(n)); });
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row, [=] { return run_tbb(w, problem_of(n)); });
#endif
    b.add_program("quicksort_rayon", "rayon", w, row,
                  {std::to_string(n.items), std::to_string(n.cutoff), std::to_string(w)});
  }
  for (const shape& s : shapes) {
    const queue::block_shape blocks = s.blocks();
    for (const unsigned w : b.workers()) {
      if (o.quick && w != b.workers().back()) continue;
      if (compared(queue::kind::bwos_lifo)) add_ramie(s.row, w, queue::kind::bwos_lifo, &blocks);
      // Oldest first is no order for a recursion: once is enough.
      if (compared(queue::kind::bwos_fifo) && s.entries == 64) add_ramie(s.row, w, queue::kind::bwos_fifo, &blocks);
    }
  }
  tell_absent(b, {"tbb"});
  b.note(
      fmt::format("ns an item: {} random 64-bit integers, a fiber for one half of every partition; {} and fewer by "
                  "insertion; ramie_fork_join, ramie_continuation and ramie_threadpool: a fork at every partition. "
                  "control: the upper "
                  "levels split over threads.",
                  n.items, n.cutoff));
  b.note(fmt::format("quicksort_bN_GRANT: block-based queues of 1,024 items in blocks of N, granted to thieves so{}.",
                     o.quick ? "; with --quick at the last worker count only" : ""));
  return b.take();
}

}  // namespace

suite quicksort_suite() {
  return {.name = "quicksort",
          .summary = "a quicksort with a fiber for every partition, for each kind of queue, size of block, and grant",
          .make_plan = make_plan};
}

}  // namespace bench
