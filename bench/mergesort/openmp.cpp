#include "kernel/openmp_team.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

void merge_all(const merge_job& job, std::size_t grain) {
  if (job.size() <= grain) return merge(job);
  const auto halves = job.halves();
#pragma omp task default(none) shared(halves, grain)
  merge_all(halves.second, grain);
  merge_all(halves.first, grain);
#pragma omp taskwait
}

void sort(const slice& s, merging how, const size& n) {
  if (s.size <= n.cutoff) return s.sort_leaf();
  const auto halves = s.halves();
#pragma omp task default(none) shared(halves, how, n)
  sort(halves.second, how, n);
  sort(halves.first, how, n);
#pragma omp taskwait
  if (how == merging::parallel) return merge_all(s.merge_of_halves(), n.merge_grain);
  merge(s.merge_of_halves());
}

}  // namespace

timed run_openmp(unsigned workers, merging how, const problem& p) {
  arrays items(p);
  timed run = in_openmp(workers, [&] {
    const stopwatch watch;
    sort(items.all(), how, p.n);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace bench::mergesort
