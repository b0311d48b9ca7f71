// The suite `loops`: parallel algorithms over elements that cost next to nothing, beside the plain loops. The subject
// is the cost that they add: no grain is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/large_arrays.hpp"

namespace bench::loops {

using item = std::int64_t;

enum class algorithm { parallel_for, reduce, inclusive_scan };

struct row {
  loops::algorithm algorithm;
  row_of_time name;
};
inline constexpr row rows[] = {
    {algorithm::parallel_for, {"parallel_for", "ns"}},
    {algorithm::reduce, {"reduce", "ns"}},
    {algorithm::inclusive_scan, {"inclusive_scan", "ns"}},
};

/// The value that `parallel_for` writes to the place i.
[[nodiscard]] constexpr item written_at(std::size_t i) { return static_cast<item>(2 * i + 1); }

struct problem {
  loops::algorithm algorithm;
  huge_array<item> input;
  huge_array<item> expected;  ///< written by parallel_for and the scan; of reduce one item
};

/// Made at the first call, and kept until another one is asked for. One thread.
[[nodiscard]] const problem& problem_of(algorithm a, std::size_t items);

/// Judges `run` by every item.
[[nodiscard]] timed judged(timed run, const problem& p, const huge_array<item>& found);

/// Times loop(std::span<item> output), which does what `p` asks for; run(work) calls work() on the runtime's own
/// ground.
template <class Run, class Loop>
timed measured(const problem& p, const Run& run, const Loop& loop) {
  huge_array<item> output(p.expected.size());
  timed result = run([&] {
    const stopwatch watch;
    loop(std::span<item>(output.data(), output.size()));
    return watch.stop(p.input.size());
  });
  return judged(std::move(result), p, output);
}

}  // namespace bench::loops
