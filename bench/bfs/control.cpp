#include <barrier>
#include <utility>

#include "bfs/contenders.hpp"
#include "kernel/static_threads.hpp"

namespace bench::bfs {

timed run_plain_call(const problem& p) {
  huge_array<distance> found = all_unreached(p.graph.nodes);
  huge_array<node> queue(p.graph.nodes);
  const stopwatch watch;
  search_with_queue(p.graph, found, queue);
  return judged(watch.stop(p.edges), p, found);
}

timed run_control(unsigned workers, const problem& p) {
  search s(p.graph);
  bool more = true;
  const auto last_arrives = [&]() noexcept { more = s.advance(); };
  std::barrier level_done(static_cast<std::ptrdiff_t>(workers), last_arrives);
  timed run = on_static_threads(workers, p.edges, [&](unsigned thread) {
    while (more) {
      const auto [begin, end] = share_of(s.width(), thread, workers);
      s.expand(begin, end);
      level_done.arrive_and_wait();
    }
  });
  return judged(std::move(run), p, s);
}

}  // namespace bench::bfs
