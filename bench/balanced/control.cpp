#include "balanced/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "kernel/static_threads.hpp"

namespace bench::balanced {

timed run_control(unsigned workers, const size& n) {
  results found(n.fibers);
  const stopwatch watch;
  on_static_threads(workers, n.fibers, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[i] = busy_loop(i, n.iterations);
  });
  return judged(watch.stop(n.fibers), n, found);
}

}  // namespace bench::balanced
