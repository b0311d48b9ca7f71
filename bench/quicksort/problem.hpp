// The suite `quicksort`: random 64-bit integers sorted in place, a fiber for one half of every partition.
//
// The partition is sequential, so the first steps allow no parallelism, and tasks are as fine as an insertion sort of
// at most `cutoff` items: that is why it tells queues apart. The pivot is the median of the first, the middle and the
// last item; Hoare's partition then stops on equal items from both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/huge_array.hpp"

namespace bench::quicksort {

inline constexpr row_of_time row{"quicksort", "ns"};

struct size {
  std::size_t items;
  std::size_t cutoff;  ///< so many or fewer are sorted by insertion
  bool operator==(const size&) const = default;
};

[[nodiscard]] size size_at(scale s);

using item = std::int64_t;

/// A part of the array.
struct slice {
  item* data;
  std::size_t size;
};

// The kernels, shared by all runtimes.

/// Of at least 3 items. Nothing in the first part is greater than anything in the second; neither is empty.
[[nodiscard]] std::pair<slice, slice> partition(const slice& s);

void sort_by_insertion(const slice& s);

/// The whole, in one call: the row `plain_call`. Returns how many partitions it took: the fibers that ramie spawns.
std::uint64_t sort_serially(slice s, std::size_t cutoff);

/// The properties that do not depend on the order of the items.
struct fingerprint {
  std::uint64_t sum = 0;
  std::uint64_t mixed = 0;  ///< sum of a hash of each
  bool operator==(const fingerprint&) const = default;
};

/// An input, and what sorting it must leave as it is.
struct problem {
  quicksort::size n;
  huge_array<item> input;
  fingerprint content;
  std::uint64_t partitions;
};

/// Made at the first call, and kept until another size is asked for. One thread.
[[nodiscard]] const problem& problem_of(const size& n);

/// The array of one repetition, filled before its clock starts.
[[nodiscard]] huge_array<item> copy_of(const problem& p);
[[nodiscard]] inline slice all_of(huge_array<item>& items) { return {items.data(), items.size()}; }

/// Judges `run` by every item: sorted, and a permutation of the input.
[[nodiscard]] timed judged(timed run, const problem& p, const huge_array<item>& found);

}  // namespace bench::quicksort
