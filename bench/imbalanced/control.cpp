#include "imbalanced/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "kernel/cycles.hpp"
#include "kernel/static_threads.hpp"

namespace bench::imbalanced {

timed run_control(unsigned workers, const size& n) {
  results found(n.fibers);
  worker_cycles spent(workers);
  const auto shares = equal_shares(n, workers);
  timed run = on_static_threads(workers, n.fibers, [&](unsigned w) {
    const std::uint64_t start = cycles();
    for (const std::size_t i : shares[w]) found[i] = busy_loop(i, n.iterations(i));
    spent.add(w, cycles() - start);
  });
  spent.add_to(run.stats);
  return judged(std::move(run), n, found);
}

}  // namespace bench::imbalanced
