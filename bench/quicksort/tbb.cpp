#include <tbb/task_group.h>

#include "kernel/tbb_arena.hpp"
#include "quicksort/contenders.hpp"

namespace bench::quicksort {
namespace {

void sort(slice s, std::size_t cutoff, tbb::task_group& running) {
  while (s.size > cutoff) {
    const auto [first, second] = partition(s);
    running.run([half = second, cutoff, &running] { sort(half, cutoff, running); });
    s = first;
  }
  sort_by_insertion(s);
}

}  // namespace

timed run_tbb(unsigned workers, const problem& p) {
  huge_array<item> items = copy_of(p);
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    tbb::task_group running;
    sort(all_of(items), p.n.cutoff, running);
    running.wait();
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items);
}

}  // namespace bench::quicksort
