#include <ramie/ramie.hpp>

#include <utility>

#include "bfs/contenders.hpp"
#include "library/run.hpp"

namespace bench::bfs {
namespace {

// Halves the slice until it is small. The front half stays here, so every worker goes from the front to the back: a
// slice prefetches beyond its end, and what comes next on the same worker is then on its way.
void expand(search& s, ramie::counter& running, std::size_t grain, std::size_t begin, std::size_t end) {
  while (end - begin > grain) {
    const std::size_t middle = begin + (end - begin) / 2;
    ramie::spawn_with_counter(running, [&s, &running, grain, middle, end] { expand(s, running, grain, middle, end); });
    end = middle;
  }
  s.expand(begin, end);
}

}  // namespace

timed run_ramie(const ramie::options& o, const problem& p) {
  search s(p.graph);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    do {
      ramie::counter running;
      expand(s, running, p.n.grain, 0, s.width());
      ramie::wait_for_counter(running);
    } while (s.advance());
    return watch.stop(p.edges);
  });
  return judged(std::move(run), p, s);
}

}  // namespace bench::bfs
