#include "fib/contenders.hpp"
#include "kernel/thread_pool.hpp"

namespace bench::fib {
namespace {

template <class Pool>
nodes forked(Pool* pool, unsigned n) {
  if (n < 2) return end_of_recursion(n);
  nodes left;
  nodes right;
  fork_in(
      pool, [&left, n](Pool* in) { left = forked(in, n - 1); }, [&right, n](Pool* in) { right = forked(in, n - 2); });
  return joined(left, right);
}

template <class Options>
timed run_in_pool(const Options& chosen, unsigned n) {
  nodes found;
  timed run = in_thread_pool(chosen, [&](auto* pool) {
    const stopwatch watch;
    found = forked(pool, n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, unsigned n) { return run_in_pool(chosen, n); }
timed run_threadpool(const locked_pool_options& chosen, unsigned n) { return run_in_pool(chosen, n); }

}  // namespace bench::fib
