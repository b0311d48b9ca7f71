#include <ramie/ramie.hpp>

#include <algorithm>

#include "bfs/contenders.hpp"
#include "library/run.hpp"

namespace bench::bfs {
namespace {

void expand_level(search& s, std::size_t grain) {
  // The first piece is this fiber's own: a frontier of one piece wakes nobody.
  ramie::counter running;
  for (std::size_t begin = grain; begin < s.width(); begin += grain) {
    ramie::spawn_with_counter(running, [&s, begin, grain] { s.expand(begin, std::min(begin + grain, s.width())); });
  }
  s.expand(0, std::min(grain, s.width()));
  ramie::wait_for_counter(running);
}

}  // namespace

timed run_ramie(const ramie::options& o, const problem& p) {
  search s(p.graph);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    do expand_level(s, p.n.grain);
    while (s.advance());
    return watch.stop(p.edges);
  });
  return judged(std::move(run), p, s);
}

}  // namespace bench::bfs
