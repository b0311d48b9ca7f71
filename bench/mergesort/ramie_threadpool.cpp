#include "kernel/thread_pool.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

template <class Pool>
void merge_all(Pool* pool, const merge_job& job, std::size_t grain) {
  if (job.size() <= grain) return merge(job);
  const auto halves = job.halves();
  fork_in(
      pool, [&](Pool* in) { merge_all(in, halves.first, grain); },
      [&](Pool* in) { merge_all(in, halves.second, grain); });
}

template <class Pool>
void sort(Pool* pool, const slice& s, merging how, const size& n) {
  if (s.size <= n.cutoff) return s.sort_leaf();
  const auto halves = s.halves();
  fork_in(pool, [&](Pool* in) { sort(in, halves.first, how, n); }, [&](Pool* in) { sort(in, halves.second, how, n); });
  if (how == merging::parallel) return merge_all(pool, s.merge_of_halves(), n.merge_grain);
  merge(s.merge_of_halves());
}

template <class Options>
timed run_in_pool(const Options& chosen, merging how, const problem& p) {
  arrays items(p);
  timed run = in_thread_pool(chosen, [&](auto* pool) {
    const stopwatch watch;
    sort(pool, items.all(), how, p.n);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, merging how, const problem& p) {
  return run_in_pool(chosen, how, p);
}
timed run_threadpool(const locked_pool_options& chosen, merging how, const problem& p) {
  return run_in_pool(chosen, how, p);
}

}  // namespace bench::mergesort
