#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "bfs/contenders.hpp"
#include "kernel/tbb_arena.hpp"

namespace bench::bfs {

timed run_tbb(unsigned workers, const problem& p) {
  search s(p.graph);
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    do {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, s.width(), p.n.grain),
                        [&](const auto& slice) { s.expand(slice.begin(), slice.end()); });
    } while (s.advance());
    return watch.stop(p.edges);
  });
  return judged(std::move(run), p, s);
}

}  // namespace bench::bfs
