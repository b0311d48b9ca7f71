#include <tbb/task_group.h>

#include "fib/contenders.hpp"
#include "kernel/tbb_arena.hpp"

namespace bench::fib {
namespace {

leaves with_cutoff(const cutoff_size& size, unsigned n, std::uint64_t first) {
  if (n <= size.cutoff) return leaf(n, first, size.iterations);
  leaves left;
  tbb::task_group children;
  children.run([&] { left = with_cutoff(size, n - 1, first); });
  const leaves right = with_cutoff(size, n - 2, first + leaves_below(n - 1, size.cutoff));
  children.wait();
  return left + right;
}

nodes without_cutoff(unsigned n) {
  if (n < 2) return end_of_recursion(n);
  nodes left;
  tbb::task_group children;
  children.run([&left, n] { left = without_cutoff(n - 1); });
  const nodes right = without_cutoff(n - 2);
  children.wait();
  return joined(left, right);
}

}  // namespace

timed run_tbb(unsigned workers, const cutoff_size& n) {
  leaves found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    found = with_cutoff(n, n.n, 0);
    return watch.stop(leaves_below(n.n, n.cutoff));
  });
  return judged(std::move(run), n, found);
}

timed run_tbb(unsigned workers, unsigned n) {
  nodes found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    found = without_cutoff(n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::fib
