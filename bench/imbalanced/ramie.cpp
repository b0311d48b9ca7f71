#include <ramie/ramie.hpp>
#include <ramie/topology/worker_count.hpp>

#include "imbalanced/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "kernel/cycles.hpp"
#include "library/run.hpp"

namespace bench::imbalanced {

timed run_ramie(const ramie::options& o, const size& n) {
  results found(n.fibers);
  worker_cycles spent(o.workers != 0 ? o.workers : ramie::topology::default_worker_count());
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    ramie::counter running;
    for (std::size_t i = 0; i < n.fibers; ++i) {
      ramie::spawn_with_counter(running, [&, i] {
        const std::uint64_t start = cycles();
        found[i] = busy_loop(i, n.iterations(i));
        const std::uint64_t took = cycles() - start;
        // It has not waited, so it is still on the worker on which it began.
        spent.add(ramie::this_fiber::worker_index(), took);
      });
    }
    ramie::wait_for_counter(running);
    return watch.stop(n.fibers);
  });
  spent.add_to(run.stats);
  return judged(std::move(run), n, found);
}

}  // namespace bench::imbalanced
