#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "sort/contenders.hpp"

namespace bench::sorting {

timed run_ramie(const ramie::options& o, const problem& p) {
  return sorted_by(
      p, [&](const auto& work) { return in_runtime(o, work); },
      [&](std::span<item> items) {
        switch (p.task) {
          case task::by_function: return ramie::sort(items, before());
          case task::stable: return ramie::stable_sort(items, upper_half_before());
          default: return ramie::sort(items);
        }
      });
}

}  // namespace bench::sorting
