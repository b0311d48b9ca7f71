#include <tbb/parallel_sort.h>

#include "kernel/tbb_arena.hpp"
#include "sort/contenders.hpp"

namespace bench::sorting {

timed run_tbb(unsigned workers, const problem& p) {
  return sorted_by(
      p, [&](const auto& work) { return in_tbb(workers, work); },
      [&](std::span<item> items) {
        if (p.task == task::by_function) return tbb::parallel_sort(items.begin(), items.end(), before());
        tbb::parallel_sort(items.begin(), items.end());
      });
}

}  // namespace bench::sorting
