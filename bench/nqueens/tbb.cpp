#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include "kernel/tbb_arena.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {
namespace {

// One context for the whole tree, and no task_group a node: that takes more than twice as long.
class tree {
 public:
  explicit tree(std::uint32_t all) : m_all(all) {}

  result every_node(const placement& p) {
    result total{.solutions = p.columns == m_all ? 1U : 0U, .tasks = 1};
    total += children(p, free_columns(m_all, p));
    return total;
  }

 private:
  // Of the columns in `left`: the first child beside the others.
  result children(const placement& p, std::uint32_t left) {
    if (left == 0) return {};
    const std::uint32_t others = left & (left - 1);
    const placement next = with_queen(p, lowest(left));
    if (others == 0) return every_node(next);
    result first;
    result rest;
    tbb::parallel_invoke([&] { first = every_node(next); }, [&] { rest = children(p, others); }, m_context);
    first += rest;
    return first;
  }

  std::uint32_t m_all;
  tbb::task_group_context m_context;
};

}  // namespace

timed run_tbb(unsigned workers, const depth_size& n) {
  const std::uint32_t all = all_columns(n.queens);
  std::vector<result> found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    const std::vector<placement> starts = placements(n);
    found.resize(starts.size());
    // One task for each: the partitioner that TBB takes by itself would put several into one.
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, starts.size(), 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) found[i] = task(all, starts[i]);
        },
        tbb::simple_partitioner());
    return watch.stop(known_of(n.queens).nodes);
  });
  return judged(std::move(run), n, sum(found));
}

timed run_tbb(unsigned workers, unsigned queens) {
  result found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    found = tree(all_columns(queens)).every_node({});
    return watch.stop(known_of(queens).nodes);
  });
  --found.tasks;  // the first call, for the empty board, is no task
  return judged(std::move(run), queens, found);
}

}  // namespace bench::nqueens
