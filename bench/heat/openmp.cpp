#include "heat/contenders.hpp"
#include "kernel/openmp_team.hpp"

namespace bench::heat {

timed run_openmp(unsigned workers, const size& n) {
  plate hot(n);
  const openmp_team team(workers);
  const stopwatch watch;
#pragma omp parallel num_threads(team.threads())
  for (std::size_t step = 0; step < n.steps; ++step) {
#pragma omp for schedule(dynamic)  // ends with a barrier
    for (std::size_t strip = 0; strip < strips; ++strip) hot.relax_strip(step, strip);
  }
  return judged(watch.stop(n.steps), n, hot.after(n.steps));
}

}  // namespace bench::heat
