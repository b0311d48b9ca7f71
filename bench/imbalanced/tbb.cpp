#include <tbb/task_group.h>

#include "imbalanced/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "kernel/tbb_arena.hpp"

namespace bench::imbalanced {

timed run_tbb(unsigned workers, const size& n) {
  results found(n.fibers);
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    tbb::task_group group;
    for (std::size_t i = 0; i < n.fibers; ++i) group.run([&, i] { found[i] = busy_loop(i, n.iterations(i)); });
    group.wait();
    return watch.stop(n.fibers);
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::imbalanced
