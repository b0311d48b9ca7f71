#include "kernel/thread_pool.hpp"
#include "simpson/contenders.hpp"

namespace bench::simpson {
namespace {

result tree(thread_pool* pool, const interval& of) {
  const step found = examine(of);
  if (found.good) return found.leaf();
  result left;
  result right;
  fork_in(
      pool, [&](thread_pool* in) { left = tree(in, found.left); },
      [&](thread_pool* in) { right = tree(in, found.right); });
  return joined(left, right);
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, const problem& p) {
  result found;
  timed run = in_thread_pool(chosen, [&](thread_pool* pool) {
    const stopwatch watch;
    found = tree(pool, whole(p.n));
    return watch.stop(p.nodes);
  });
  return judged(std::move(run), p, found);
}

}  // namespace bench::simpson
