#include <ramie/ramie.hpp>

#include "balanced/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "library/run.hpp"

namespace bench::balanced {

timed run_ramie(const ramie::options& o, const size& n) {
  results found(n.fibers);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    ramie::counter running;
    for (std::size_t i = 0; i < n.fibers; ++i) {
      ramie::spawn_with_counter(running, [&, i] { found[i] = busy_loop(i, n.iterations); });
    }
    ramie::wait_for_counter(running);
    return watch.stop(n.fibers);
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::balanced
