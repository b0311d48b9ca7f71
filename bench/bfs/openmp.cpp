#include <algorithm>

#include "bfs/contenders.hpp"
#include "kernel/openmp_team.hpp"

namespace bench::bfs {

timed run_openmp(unsigned workers, const problem& p) {
  search s(p.graph);
  const std::size_t grain = p.n.grain;
  const openmp_team team(workers);
  const stopwatch watch;
  bool more = true;
  // One team for all levels; a loop and a single each end with a barrier, which is all that a level needs.
#pragma omp parallel num_threads(team.threads())
  while (more) {
    const std::size_t pieces = (s.width() + grain - 1) / grain;
#pragma omp for schedule(guided)
    for (std::size_t i = 0; i < pieces; ++i) s.expand(i * grain, std::min((i + 1) * grain, s.width()));
#pragma omp single
    more = s.advance();
  }
  return judged(watch.stop(p.edges), p, s);
}

}  // namespace bench::bfs
