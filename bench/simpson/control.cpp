#include <utility>
#include <vector>

#include "kernel/static_threads.hpp"
#include "simpson/contenders.hpp"

namespace bench::simpson {
namespace {

// The intervals `levels` below, from left to right; nodes above them, and leaves on the way, go into `above`.
void split(const interval& of, unsigned levels, std::vector<interval>& into, result& above) {
  if (levels == 0) return into.push_back(of);
  const step found = examine(of);
  if (found.good) {
    above.integral += found.leaf().integral;
    ++above.nodes;
    return;
  }
  ++above.nodes;
  split(found.left, levels - 1, into, above);
  split(found.right, levels - 1, into, above);
}

}  // namespace

timed run_control(unsigned workers, const problem& p) {
  constexpr unsigned levels = 12;
  std::vector<interval> parts;
  std::vector<result> found(workers);
  result total;
  timed run = on_static_threads(
      workers, p.nodes, [&] { split(whole(p.n), levels, parts, total); },
      [&](unsigned thread) {
        result mine;
        for (std::size_t i = thread; i < parts.size(); i += workers) {
          const result part = plain_call(parts[i]);
          mine = {mine.integral + part.integral, mine.nodes + part.nodes};
        }
        found[thread] = mine;
      });
  for (const result& each : found) total = {total.integral + each.integral, total.nodes + each.nodes};
  return judged(std::move(run), p, total);
}

timed run_plain_call(const problem& p) {
  const stopwatch watch;
  const result found = plain_call(whole(p.n));
  return judged(watch.stop(p.nodes), p, found);
}

}  // namespace bench::simpson
