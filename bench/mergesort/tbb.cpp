#include <tbb/parallel_invoke.h>

#include "kernel/tbb_arena.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

void merge_all(const merge_job& job, std::size_t grain) {
  if (job.size() <= grain) return merge(job);
  const auto halves = job.halves();
  tbb::parallel_invoke([&] { merge_all(halves.first, grain); }, [&] { merge_all(halves.second, grain); });
}

void sort(const slice& s, merging how, const size& n) {
  if (s.size <= n.cutoff) return s.sort_leaf();
  const auto halves = s.halves();
  tbb::parallel_invoke([&] { sort(halves.first, how, n); }, [&] { sort(halves.second, how, n); });
  if (how == merging::parallel) return merge_all(s.merge_of_halves(), n.merge_grain);
  merge(s.merge_of_halves());
}

}  // namespace

timed run_tbb(unsigned workers, merging how, const problem& p) {
  arrays items(p);
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    sort(items.all(), how, p.n);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace bench::mergesort
