#include <ramie/ramie.hpp>
#include <ramie/topology/worker_count.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

#include "bfs/contenders.hpp"
#include "library/run.hpp"

namespace bench::bfs {
namespace {

/// A frontier that some fibers share out among themselves, from the front to the back, in ever smaller slices. In that
/// order, because a slice prefetches beyond its end: what comes next on the same worker is then on its way. A fiber a
/// slice, last in first out, would go through the frontier backwards, which cost a fifth of the time.
class shared_frontier {
 public:
  shared_frontier(search& of, std::size_t grain, std::size_t fibers)
      : m_search(of), m_width(of.width()), m_grain(grain), m_divisor(4 * fibers) {}

  void expand() {
    for (std::size_t begin = 0, end = 0; take(begin, end);) m_search.expand(begin, end);
  }

 private:
  bool take(std::size_t& begin, std::size_t& end) {
    begin = m_taken.load(std::memory_order_relaxed);
    do {
      if (begin >= m_width) return false;
      end = std::min(m_width, begin + std::max(m_grain, (m_width - begin) / m_divisor));
    } while (!m_taken.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return true;
  }

  search& m_search;
  const std::size_t m_width;
  const std::size_t m_grain;
  const std::size_t m_divisor;
  std::atomic<std::size_t> m_taken{0};
};

void expand_level(search& s, std::size_t grain, std::size_t workers) {
  // A frontier of one slice wakes nobody.
  const std::size_t fibers = std::min(workers, (s.width() + grain - 1) / grain);
  shared_frontier frontier(s, grain, fibers);
  ramie::counter running;
  for (std::size_t i = 1; i < fibers; ++i) ramie::spawn_with_counter(running, [&frontier] { frontier.expand(); });
  frontier.expand();
  ramie::wait_for_counter(running);
}

}  // namespace

timed run_ramie(const ramie::options& o, const problem& p) {
  search s(p.graph);
  const std::size_t workers = o.workers != 0 ? o.workers : ramie::topology::default_worker_count();
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    do expand_level(s, p.n.grain, workers);
    while (s.advance());
    return watch.stop(p.edges);
  });
  return judged(std::move(run), p, s);
}

}  // namespace bench::bfs
