#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "simpson/contenders.hpp"

namespace bench::simpson {
namespace {

result forked(const interval& of) {
  const step found = examine(of);
  if (found.good) return found.leaf();
  const auto [left, right] =
      ramie::fork_join([&found] { return forked(found.left); }, [&found] { return forked(found.right); });
  return joined(left, right);
}

}  // namespace

timed run_ramie(const ramie::options& o, const problem& p) {
  result found;
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    found = forked(whole(p.n));
    return watch.stop(p.nodes);
  });
  return judged(std::move(run), p, found);
}

}  // namespace bench::simpson
