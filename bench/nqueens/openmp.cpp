#include <array>

#include "kernel/openmp_team.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {
namespace {

result every_node(std::uint32_t all, const placement& p) {
  result total{.solutions = p.columns == all ? 1U : 0U, .tasks = 1};
  std::uint32_t left = free_columns(all, p);
  if (left == 0) return total;
  std::array<result, most_queens> below;
  unsigned count = 0;
  for (; left != 0; left &= left - 1) {
    const placement next = with_queen(p, lowest(left));
#pragma omp task default(none) shared(below) firstprivate(all, next, count)
    below[count] = every_node(all, next);
    ++count;
  }
#pragma omp taskwait
  for (unsigned i = 0; i < count; ++i) total += below[i];
  return total;
}

}  // namespace

timed run_openmp(unsigned workers, const depth_size& n) {
  const std::uint32_t all = all_columns(n.queens);
  const openmp_team team(workers);
  const stopwatch watch;
  const std::vector<placement> starts = placements(n);
  std::vector<result> found(starts.size());
#pragma omp parallel for num_threads(team.threads()) schedule(dynamic, 1) default(none) shared(found, starts, all)
  for (std::size_t i = 0; i < starts.size(); ++i) found[i] = task(all, starts[i]);
  return judged(watch.stop(known_of(n.queens).nodes), n, sum(found));
}

timed run_openmp(unsigned workers, unsigned queens) {
  result found;
  timed run = in_openmp(workers, [&] {
    const stopwatch watch;
    found = every_node(all_columns(queens), {});
    return watch.stop(known_of(queens).nodes);
  });
  --found.tasks;  // the first call, for the empty board, is no task
  return judged(std::move(run), queens, found);
}

}  // namespace bench::nqueens
