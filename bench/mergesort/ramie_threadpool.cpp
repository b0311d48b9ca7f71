#include "kernel/thread_pool.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

void merge_all(thread_pool* pool, const merge_job& job, std::size_t grain) {
  if (job.size() <= grain) return merge(job);
  const auto halves = job.halves();
  fork_in(
      pool, [&](thread_pool* in) { merge_all(in, halves.first, grain); },
      [&](thread_pool* in) { merge_all(in, halves.second, grain); });
}

void sort(thread_pool* pool, const slice& s, merging how, const size& n) {
  if (s.size <= n.cutoff) return s.sort_leaf();
  const auto halves = s.halves();
  fork_in(
      pool, [&](thread_pool* in) { sort(in, halves.first, how, n); },
      [&](thread_pool* in) { sort(in, halves.second, how, n); });
  if (how == merging::parallel) return merge_all(pool, s.merge_of_halves(), n.merge_grain);
  merge(s.merge_of_halves());
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, merging how, const problem& p) {
  arrays items(p);
  timed run = in_thread_pool(chosen, [&](thread_pool* pool) {
    const stopwatch watch;
    sort(pool, items.all(), how, p.n);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace bench::mergesort
