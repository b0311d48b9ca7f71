#include "kernel/static_threads.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {

timed run_control(unsigned workers, const depth_size& n) {
  const std::uint32_t all = all_columns(n.queens);
  const stopwatch watch;
  const std::vector<placement> starts = placements(n);
  std::vector<result> found(starts.size());
  on_static_threads(workers, starts.size(), [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[i] = task(all, starts[i]);
  });
  return judged(watch.stop(known_of(n.queens).nodes), n, sum(found));
}

timed run_plain_call(unsigned queens) {
  const stopwatch watch;
  const std::uint64_t solutions = solutions_from(all_columns(queens), {});
  return judged(watch.stop(known_of(queens).nodes), depth_size{queens, 0}, {.solutions = solutions, .tasks = 1});
}

}  // namespace bench::nqueens
