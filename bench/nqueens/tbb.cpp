#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <array>

#include "kernel/tbb_arena.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {
namespace {

result every_node(std::uint32_t all, const placement& p) {
  result total{.solutions = p.columns == all ? 1U : 0U, .tasks = 1};
  std::uint32_t left = free_columns(all, p);
  if (left == 0) return total;
  std::array<result, most_queens> below;
  unsigned count = 0;
  tbb::task_group children;
  for (; left != 0; left &= left - 1) {
    children.run([all, next = with_queen(p, lowest(left)), &mine = below[count]] { mine = every_node(all, next); });
    ++count;
  }
  children.wait();
  for (unsigned i = 0; i < count; ++i) total += below[i];
  return total;
}

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
    found = every_node(all_columns(queens), {});
    return watch.stop(known_of(queens).nodes);
  });
  --found.tasks;  // the first call, for the empty board, is no task
  return judged(std::move(run), queens, found);
}

}  // namespace bench::nqueens
