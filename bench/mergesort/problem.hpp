// The suite `mergesort`: a stable merge sort of random integers, top down, by halves.
//
// Row `mergesort` merges two halves by one call, as the source does: the last merge goes over everything while all
// others wait. Row `mergesort_parallel_merge` cuts large merges in two until they are small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/huge_array.hpp"

namespace bench::mergesort {

inline constexpr row_of_time row_sequential_merge{"mergesort", "ns"};
inline constexpr row_of_time row_parallel_merge{"mergesort_parallel_merge", "ns"};

enum class merging { sequential, parallel };
[[nodiscard]] constexpr const row_of_time& row_of(merging how) {
  return how == merging::sequential ? row_sequential_merge : row_parallel_merge;
}

struct size {
  std::size_t items;
  std::size_t cutoff;       ///< so many or fewer are sorted by one call
  std::size_t merge_grain;  ///< so many or fewer are merged by one call
  bool operator==(const size&) const = default;
};

[[nodiscard]] size size_at(scale s);

using item = std::uint32_t;

// The kernels, shared by all runtimes.

/// Sorts data[0, n); the result is there, or in buffer if `into_buffer`. Both are overwritten.
void sort_leaf(item* data, item* buffer, std::size_t n, bool into_buffer);

/// Two sorted runs that shall become one at `out`, which overlaps neither.
struct merge_job {
  const item* a;
  std::size_t a_size;
  const item* b;
  std::size_t b_size;
  item* out;

  [[nodiscard]] std::size_t size() const { return a_size + b_size; }
  /// The jobs that merge the first `count` items of the result, and the rest.
  [[nodiscard]] std::pair<merge_job, merge_job> split_at(std::size_t count) const;
  [[nodiscard]] std::pair<merge_job, merge_job> halves() const { return split_at(size() / 2); }
};

void merge(const merge_job& job);

/// A part of the items, and the part of the buffer that belongs to it. Levels take turns in where their results lie, so
/// that each merge goes from one to the other and nothing is copied back.
struct slice {
  item* data;
  item* buffer;
  std::size_t size;
  bool into_buffer;

  /// Their results, side by side, are what merge_of_halves() merges.
  [[nodiscard]] std::pair<slice, slice> halves() const {
    const std::size_t first = size / 2;
    return {{data, buffer, first, !into_buffer}, {data + first, buffer + first, size - first, !into_buffer}};
  }
  [[nodiscard]] merge_job merge_of_halves() const {
    const std::size_t first = size / 2;
    const item* const from = into_buffer ? data : buffer;
    return {from, first, from + first, size - first, into_buffer ? buffer : data};
  }
  void sort_leaf() const { mergesort::sort_leaf(data, buffer, size, into_buffer); }
};

/// The whole, in one call: the row `plain_call`.
void sort_serially(const slice& s, std::size_t cutoff);

/// An input, and what sorting it must give: std::sort of it.
struct problem {
  mergesort::size n;
  huge_array<item> input;
  huge_array<item> sorted;
};

/// Made at the first call, and kept until another size is asked for. One thread.
[[nodiscard]] const problem& problem_of(const size& n);

/// The arrays of one repetition, filled before its clock starts.
class arrays {
 public:
  explicit arrays(const problem& p);
  [[nodiscard]] slice all() { return {m_data.data(), m_buffer.data(), m_data.size(), false}; }
  [[nodiscard]] huge_array<item>& data() { return m_data; }

 private:
  huge_array<item> m_data;
  huge_array<item> m_buffer;
};

/// Judges `run` by every item.
[[nodiscard]] timed judged(timed run, const problem& p, const huge_array<item>& found);

}  // namespace bench::mergesort
