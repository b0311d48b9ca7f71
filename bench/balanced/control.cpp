#include <utility>

#include "balanced/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "kernel/static_threads.hpp"

namespace bench::balanced {

timed run_control(unsigned workers, const size& n) {
  results found(n.fibers);
  timed run = on_static_threads(workers, n.fibers, [&](unsigned thread) {
    const auto [begin, end] = share_of(n.fibers, thread, workers);
    for (std::size_t i = begin; i < end; ++i) found[i] = busy_loop(i, n.iterations);
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::balanced
