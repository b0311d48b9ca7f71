// The suite `sort`: the library's own sort beside those of others, of 64-bit integers.
//
// Rows differ in the order of the input, and in what is asked for: `sort` and `sort_…` by <, `sort_by_function` by a
// comparison that the sort cannot know, `stable_sort` by the upper half of each item, where equal ones must keep their
// order. There the lower half is the item's number, so that the result is the same as if all bits were compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/large_arrays.hpp"

namespace bench::sorting {

using item = std::int64_t;

enum class task { random, sorted, reversed, few_distinct, organ_pipe, by_function, stable };

struct row {
  sorting::task task;
  row_of_time name;
};
inline constexpr row rows[] = {
    {task::random, {"sort", "ns"}},
    {task::sorted, {"sort_sorted", "ns"}},
    {task::reversed, {"sort_reversed", "ns"}},
    {task::few_distinct, {"sort_few_distinct", "ns"}},
    {task::organ_pipe, {"sort_organ_pipe", "ns"}},
    {task::by_function, {"sort_by_function", "ns"}},
    {task::stable, {"stable_sort", "ns"}},
};

/// The comparisons of `by_function` and `stable`.
struct before {
  bool operator()(item a, item b) const { return a < b; }
};
struct upper_half_before {
  bool operator()(item a, item b) const { return (a >> 32) < (b >> 32); }
};

/// An input, and what sorting it must give.
struct problem {
  sorting::task task;
  huge_array<item> input;
  huge_array<item> sorted;
};

/// Made at the first call, and kept until another one is asked for. One thread.
[[nodiscard]] const problem& problem_of(task t, std::size_t items);

/// Sorts a copy of the input by sort(std::span<item>), and judges every item of the result. `run(work)` calls work(),
/// which is what is timed, on the runtime's own ground.
template <class Run, class Sort>
timed sorted_by(const problem& p, const Run& run, const Sort& sort) {
  huge_array<item> items(p.input.size());
  std::copy(p.input.begin(), p.input.end(), items.begin());
  timed result = run([&] {
    const stopwatch watch;
    sort(std::span<item>(items.data(), items.size()));
    return watch.stop(items.size());
  });
  return judged_as_sorted(std::move(result), p.sorted, items);
}

}  // namespace bench::sorting
