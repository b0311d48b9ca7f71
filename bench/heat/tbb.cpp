#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "heat/contenders.hpp"
#include "kernel/tbb_arena.hpp"

namespace bench::heat {

timed run_tbb(unsigned workers, const size& n) {
  plate hot(n);
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    tbb::affinity_partitioner same_strips_again;  // made for loops that are repeated over the same data
    for (std::size_t step = 0; step < n.steps; ++step) {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, strips, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t strip = range.begin(); strip != range.end(); ++strip) hot.relax_strip(step, strip);
          },
          same_strips_again);
    }
    return watch.stop(n.steps);
  });
  return judged(std::move(run), n, hot.after(n.steps));
}

}  // namespace bench::heat
