#include "kernel/thread_pool.hpp"
#include "quicksort/contenders.hpp"

namespace bench::quicksort {
namespace {

template <class Pool>
void sort(Pool* pool, slice s, std::size_t cutoff) {
  if (s.size <= cutoff) return sort_by_insertion(s);
  const auto halves = partition(s);
  fork_in(pool, [&](Pool* in) { sort(in, halves.first, cutoff); }, [&](Pool* in) { sort(in, halves.second, cutoff); });
}

template <class Options>
timed run_in_pool(const Options& chosen, const problem& p) {
  huge_array<item> items = copy_of(p);
  timed run = in_thread_pool(chosen, [&](auto* pool) {
    const stopwatch watch;
    sort(pool, all_of(items), p.n.cutoff);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items);
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, const problem& p) { return run_in_pool(chosen, p); }
timed run_threadpool(const locked_pool_options& chosen, const problem& p) { return run_in_pool(chosen, p); }

}  // namespace bench::quicksort
