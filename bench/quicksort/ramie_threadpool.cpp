#include "kernel/thread_pool.hpp"
#include "quicksort/contenders.hpp"

namespace bench::quicksort {
namespace {

void sort(thread_pool* pool, slice s, std::size_t cutoff) {
  if (s.size <= cutoff) return sort_by_insertion(s);
  const auto halves = partition(s);
  fork_in(
      pool, [&](thread_pool* in) { sort(in, halves.first, cutoff); },
      [&](thread_pool* in) { sort(in, halves.second, cutoff); });
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, const problem& p) {
  huge_array<item> items = copy_of(p);
  timed run = in_thread_pool(chosen, [&](thread_pool* pool) {
    const stopwatch watch;
    sort(pool, all_of(items), p.n.cutoff);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items);
}

}  // namespace bench::quicksort
