#include "heat/contenders.hpp"

namespace bench::heat {

timed run_openmp(unsigned workers, const size& n) {
  plate hot(n);
  const auto threads = static_cast<int>(workers);
#pragma omp parallel num_threads(threads)  // the team is awake when the clock starts
  {
  }
  const stopwatch watch;
#pragma omp parallel num_threads(threads)
  for (std::size_t step = 0; step < n.steps; ++step) {
#pragma omp for schedule(dynamic)  // ends with a barrier
    for (std::size_t strip = 0; strip < strips; ++strip) hot.relax_strip(step, strip);
  }
  return judged(watch.stop(n.steps), n, hot.after(n.steps));
}

}  // namespace bench::heat
