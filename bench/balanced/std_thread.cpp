#include <thread>
#include <vector>

#include "balanced/contenders.hpp"
#include "kernel/busy_loop.hpp"

namespace bench::balanced {

timed run_std_thread(const size& n) {
  results found(n.fibers);
  const stopwatch watch;
  {
    std::vector<std::jthread> threads;
    threads.reserve(n.fibers);
    for (std::size_t i = 0; i < n.fibers; ++i) threads.emplace_back([&, i] { found[i] = busy_loop(i, n.iterations); });
  }
  return judged(watch.stop(n.fibers), n, found);
}

}  // namespace bench::balanced
