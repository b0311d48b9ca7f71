#include "fib/contenders.hpp"
#include "kernel/openmp_team.hpp"

namespace bench::fib {
namespace {

leaves with_cutoff(const cutoff_size& size, unsigned n, std::uint64_t first) {
  if (n <= size.cutoff) return leaf(n, first, size.iterations);
  leaves left;
#pragma omp task default(none) shared(left, size) firstprivate(n, first)
  left = with_cutoff(size, n - 1, first);
  const leaves right = with_cutoff(size, n - 2, first + leaves_below(n - 1, size.cutoff));
#pragma omp taskwait
  return left + right;
}

nodes without_cutoff(unsigned n) {
  if (n < 2) return end_of_recursion(n);
  nodes left;
#pragma omp task default(none) shared(left) firstprivate(n)
  left = without_cutoff(n - 1);
  const nodes right = without_cutoff(n - 2);
#pragma omp taskwait
  return joined(left, right);
}

}  // namespace

timed run_openmp(unsigned workers, const cutoff_size& n) {
  leaves found;
  timed run = in_openmp(workers, [&] {
    const stopwatch watch;
    found = with_cutoff(n, n.n, 0);
    return watch.stop(leaves_below(n.n, n.cutoff));
  });
  return judged(std::move(run), n, found);
}

timed run_openmp(unsigned workers, unsigned n) {
  nodes found;
  timed run = in_openmp(workers, [&] {
    const stopwatch watch;
    found = without_cutoff(n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::fib
