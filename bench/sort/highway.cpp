#include <hwy/contrib/sort/vqsort.h>

#include "sort/contenders.hpp"

namespace bench::sorting {

timed run_vqsort(const problem& p) {
  return sorted_by(
      p, [](const auto& work) { return work(); },
      [](std::span<item> items) {
        const hwy::Sorter sorter;
        sorter(items.data(), items.size(), hwy::SortAscending());
      });
}

}  // namespace bench::sorting
