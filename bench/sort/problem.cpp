#include "sort/problem.hpp"

#include <algorithm>
#include <fmt/format.h>
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

std::size_t items_at(scale s) {
  switch (s) {
    case scale::tiny: return 50'000;
    case scale::quick: return 1'000'000;
    case scale::ordinary:
    case scale::full: break;
  }
  return 10'000'000;
}

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

timed judged(timed run, const problem& p, const huge_array<item>& found) {
  const auto different = std::mismatch(found.begin(), found.end(), p.sorted.begin()).first;
  if (different == found.end()) {
    run.verified = true;  // equal to a sorted permutation of the input, so it is one
    return run;
  }
  const auto unsorted = std::is_sorted_until(found.begin(), found.end());
  if (unsorted != found.end()) {
    run.complaint = fmt::format("item {} must be before the one before it", unsorted - found.begin());
  } else {
    const auto place = different - found.begin();
    run.complaint = fmt::format("sorted, but no permutation of the input: item {} is {} instead of {}", place,
                                *different, p.sorted[static_cast<std::size_t>(place)]);
  }
  return run;
}

}  // namespace bench::sorting
