#include <algorithm>

#include "sort/contenders.hpp"

namespace bench::sorting {

timed run_plain_call(const problem& p) {
  return sorted_by(
      p, [](const auto& work) { return work(); },
      [&](std::span<item> items) {
        switch (p.task) {
          case task::by_function: return std::sort(items.begin(), items.end(), before());
          case task::stable: return std::stable_sort(items.begin(), items.end(), upper_half_before());
          default: return std::sort(items.begin(), items.end());
        }
      });
}

}  // namespace bench::sorting
