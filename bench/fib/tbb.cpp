#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include "fib/contenders.hpp"
#include "kernel/tbb_arena.hpp"

namespace bench::fib {
namespace {

// One context for the whole tree: a task_group, or a parallel_invoke that makes its own, takes half as long again a
// node.

leaves with_cutoff(tbb::task_group_context& context, const cutoff_size& size, unsigned n, std::uint64_t first) {
  if (n <= size.cutoff) return leaf(n, first, size.iterations);
  leaves left;
  leaves right;
  tbb::parallel_invoke([&] { left = with_cutoff(context, size, n - 1, first); },
                       [&] { right = with_cutoff(context, size, n - 2, first + leaves_below(n - 1, size.cutoff)); },
                       context);
  return left + right;
}

nodes without_cutoff(tbb::task_group_context& context, unsigned n) {
  if (n < 2) return end_of_recursion(n);
  nodes left;
  nodes right;
  tbb::parallel_invoke([&context, &left, n] { left = without_cutoff(context, n - 1); },
                       [&context, &right, n] { right = without_cutoff(context, n - 2); }, context);
  return joined(left, right);
}

}  // namespace

timed run_tbb(unsigned workers, const cutoff_size& n) {
  leaves found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    tbb::task_group_context context;
    found = with_cutoff(context, n, n.n, 0);
    return watch.stop(leaves_below(n.n, n.cutoff));
  });
  return judged(std::move(run), n, found);
}

timed run_tbb(unsigned workers, unsigned n) {
  nodes found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    tbb::task_group_context context;
    found = without_cutoff(context, n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::fib
