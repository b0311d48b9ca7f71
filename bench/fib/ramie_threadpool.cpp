#include "fib/contenders.hpp"
#include "kernel/thread_pool.hpp"

namespace bench::fib {
namespace {

nodes forked(thread_pool* pool, unsigned n) {
  if (n < 2) return end_of_recursion(n);
  nodes left;
  nodes right;
  fork_in(
      pool, [&left, n](thread_pool* in) { left = forked(in, n - 1); },
      [&right, n](thread_pool* in) { right = forked(in, n - 2); });
  return joined(left, right);
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, unsigned n) {
  nodes found;
  timed run = in_thread_pool(chosen, [&](thread_pool* pool) {
    const stopwatch watch;
    found = forked(pool, n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::fib
