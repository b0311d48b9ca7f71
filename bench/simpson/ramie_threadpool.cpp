#include "kernel/thread_pool.hpp"
#include "simpson/contenders.hpp"

namespace bench::simpson {
namespace {

template <class Pool>
result tree(Pool* pool, const interval& of) {
  const step found = examine(of);
  if (found.good) return found.leaf();
  result left;
  result right;
  fork_in(pool, [&](Pool* in) { left = tree(in, found.left); }, [&](Pool* in) { right = tree(in, found.right); });
  return joined(left, right);
}

template <class Options>
timed run_in_pool(const Options& chosen, const problem& p) {
  result found;
  timed run = in_thread_pool(chosen, [&](auto* pool) {
    const stopwatch watch;
    found = tree(pool, whole(p.n));
    return watch.stop(p.nodes);
  });
  return judged(std::move(run), p, found);
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, const problem& p) { return run_in_pool(chosen, p); }
timed run_threadpool(const locked_pool_options& chosen, const problem& p) { return run_in_pool(chosen, p); }

}  // namespace bench::simpson
