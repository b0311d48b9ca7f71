#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include "kernel/tbb_arena.hpp"
#include "simpson/contenders.hpp"

namespace bench::simpson {
namespace {

result tree(const interval& of, tbb::task_group_context& context) {
  const step found = examine(of);
  if (found.good) return found.leaf();
  result left;
  result right;
  tbb::parallel_invoke([&] { left = tree(found.left, context); }, [&] { right = tree(found.right, context); }, context);
  return joined(left, right);
}

}  // namespace

timed run_tbb(unsigned workers, const problem& p) {
  result found;
  timed run = in_tbb(workers, [&] {
    tbb::task_group_context context;
    const stopwatch watch;
    found = tree(whole(p.n), context);
    return watch.stop(p.nodes);
  });
  return judged(std::move(run), p, found);
}

}  // namespace bench::simpson
