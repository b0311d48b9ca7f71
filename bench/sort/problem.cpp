#include "sort/problem.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "kernel/splitmix.hpp"

namespace bench::sorting {
namespace {

item item_at(task t, std::size_t i, std::size_t items, splitmix& random) {
  switch (t) {
    case task::random:
    case task::by_function: return static_cast<item>(random.next());
    case task::sorted: return static_cast<item>(i);
    case task::reversed: return static_cast<item>(items - i);
    case task::few_distinct: return static_cast<item>(random.below(16));
    case task::organ_pipe: return static_cast<item>(i < items / 2 ? i : items - i);
    // Four items of each upper half.
    case task::stable:
      return static_cast<item>(random.below(static_cast<std::uint32_t>(items / 4 + 1))) << 32 | static_cast<item>(i);
  }
  throw std::logic_error("no such task");
}

}  // namespace

const problem& problem_of(task t, std::size_t items) {
  static std::optional<problem> kept;
  if (kept && kept->task == t && kept->input.size() == items) return *kept;
  kept.reset();
  kept.emplace(problem{t, huge_array<item>(items), huge_array<item>(items)});
  splitmix random(1);
  for (std::size_t i = 0; i < items; ++i) kept->input[i] = item_at(t, i, items, random);
  std::copy(kept->input.begin(), kept->input.end(), kept->sorted.begin());
  std::sort(kept->sorted.begin(), kept->sorted.end());
  return *kept;
}

}  // namespace bench::sorting
