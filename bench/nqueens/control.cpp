#include <utility>

#include "kernel/static_threads.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {

timed run_control(unsigned workers, const depth_size& n) {
  const std::uint32_t all = all_columns(n.queens);
  std::vector<placement> starts;
  std::vector<result> found;
  timed run = on_static_threads(
      workers, known_of(n.queens).nodes,
      [&] {
        starts = placements(n);
        found.resize(starts.size());
      },
      [&](unsigned thread) {
        const auto [begin, end] = share_of(starts.size(), thread, workers);
        for (std::size_t i = begin; i < end; ++i) found[i] = task(all, starts[i]);
      });
  return judged(std::move(run), n, sum(found));
}

timed run_plain_call(unsigned queens) {
  const stopwatch watch;
  const std::uint64_t solutions = solutions_from(all_columns(queens), {});
  return judged(watch.stop(known_of(queens).nodes), depth_size{queens, 0}, {.solutions = solutions, .tasks = 1});
}

}  // namespace bench::nqueens
