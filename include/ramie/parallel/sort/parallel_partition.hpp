// Partition in place by several workers.
//
// Each takes a stripe of the left half and the stripe of the right half that mirrors it, and partitions these two
// together. The pivot is near the middle, so both stripes are nearly all right afterwards, and little is left for the
// second phase: those left of the boundary that belong right change places with those right of it. (Tsigas, Zhang, "A
// simple, fast parallel implementation of quicksort", PDP 2003, give out blocks of both ends on demand; stripes known
// from the start need no counter and no block that is left over.)
#pragma once

#include <ramie/base/dynamic_array.hpp>
#include <ramie/parallel/range.hpp>
#include <ramie/parallel/sort/partition.hpp>
#include <ramie/parallel/sort/pieces.hpp>

#include <cstddef>
#include <iterator>
#include <new>

namespace ramie::detail::sorting {

/// Elements of a stripe, its left and right part together, at least.
inline constexpr std::ptrdiff_t least_stripe = 32 * 1024;

template <class Iterator>
class partition_by_stripes {
  using difference = std::iter_difference_t<Iterator>;

  // Elements that follow one another: those that belong left, then those that belong right.
  struct run {
    difference begin;
    difference boundary;
    difference end;
  };

 public:
  partition_by_stripes(Iterator first, Iterator last, unsigned workers)
      : m_first(first), m_size(last - first), m_workers(workers) {
    const std::ptrdiff_t most = m_size / least_stripe;
    const std::ptrdiff_t wanted = 4 * static_cast<std::ptrdiff_t>(workers);
    m_stripes = static_cast<difference>(wanted < most ? wanted : most);
    m_runs = dynamic_array<run>(static_cast<std::size_t>(2 * m_stripes), std::nothrow);
  }

  [[nodiscard]] bool has_memory() const { return !m_runs.empty(); }

  template <class BelongsLeft>
  Iterator partition(BelongsLeft& belongs_left) {
    // Where one throws, nothing is lost: elements only change places.
    each_throwing_piece(static_cast<std::size_t>(m_stripes), m_workers,
                        [&](std::size_t stripe) { partition_stripe(static_cast<difference>(stripe), belongs_left); });
    return join_runs();
  }

 private:
  template <class BelongsLeft>
  void partition_stripe(difference stripe, BelongsLeft& belongs_left) {
    const difference half = m_size / 2;
    const difference left = begin_of(stripe, half);
    const difference left_end = begin_of(stripe + 1, half);
    const difference right = m_size - begin_of(stripe + 1, m_size - half);
    const difference right_end = m_size - begin_of(stripe, m_size - half);
    const auto boundary =
        partition_apart(m_first + left, m_first + left_end, m_first + right, m_first + right_end, belongs_left);
    m_runs[static_cast<std::size_t>(stripe)] = {left, boundary.left - m_first, left_end};
    m_runs[static_cast<std::size_t>(2 * m_stripes - 1 - stripe)] = {right, boundary.right - m_first, right_end};
  }

  // Of `size` elements in as many stripes. The product of the two might be more than a difference can be.
  [[nodiscard]] difference begin_of(difference stripe, difference size) const {
    const difference larger_ones = size % m_stripes;
    return size / m_stripes * stripe + (stripe < larger_ones ? stripe : larger_ones);
  }

  Iterator join_runs() {
    const auto runs = static_cast<std::size_t>(2 * m_stripes);
    difference boundary = 0;
    for (std::size_t i = 0; i < runs; ++i) boundary += m_runs[i].boundary - m_runs[i].begin;
    difference wrong = 0;  // left of the boundary, and right of it as many
    for (std::size_t i = 0; i < runs; ++i) wrong += overlap(m_runs[i].boundary, m_runs[i].end, 0, boundary);
    constexpr difference piece = at_most<difference>(16 * 1024);
    const std::size_t pieces = parts_of(static_cast<std::size_t>(wrong), static_cast<std::size_t>(piece));
    each_throwing_piece(pieces, m_workers, [&](std::size_t i) {
      const difference begin = static_cast<difference>(i) * piece;
      const difference end = wrong - begin > piece ? begin + piece : wrong;
      exchange(begin, end, boundary);
    });
    return m_first + boundary;
  }

  static difference overlap(difference begin, difference end, difference from, difference to) {
    const difference low = begin > from ? begin : from;
    const difference high = end < to ? end : to;
    return high > low ? high - low : 0;
  }

  /// The wrong ones of one side of the boundary, numbered from left to right.
  class wrong_ones {
   public:
    wrong_ones(const run* runs, difference boundary, bool left_of_it)
        : m_run(runs), m_boundary(boundary), m_left(left_of_it) {}

    /// How many follow one another from the next one on.
    [[nodiscard]] difference size() {
      while (m_at == m_end) next_run();
      return m_end - m_at;
    }
    [[nodiscard]] difference at() const { return m_at; }
    void advance(difference by) { m_at += by; }

   private:
    void next_run() {
      const run& r = *m_run++;
      m_at = m_left ? r.boundary : (r.begin > m_boundary ? r.begin : m_boundary);
      m_end = m_left ? (r.end < m_boundary ? r.end : m_boundary) : r.boundary;
      if (m_at > m_end) m_at = m_end;
    }

    const run* m_run;
    const difference m_boundary;
    const bool m_left;
    difference m_at = 0;
    difference m_end = 0;
  };

  // Exchanges the elements with the numbers begin … end - 1 of both sides.
  void exchange(difference begin, difference end, difference boundary) {
    wrong_ones left(m_runs.data(), boundary, true);
    wrong_ones right(m_runs.data(), boundary, false);
    skip(left, begin);
    skip(right, begin);
    while (begin != end) {
      difference count = end - begin;
      if (left.size() < count) count = left.size();
      if (right.size() < count) count = right.size();
      for (difference i = 0; i < count; ++i) std::iter_swap(m_first + (left.at() + i), m_first + (right.at() + i));
      left.advance(count);
      right.advance(count);
      begin += count;
    }
  }
  static void skip(wrong_ones& side, difference count) {
    while (count != 0) {
      const difference step = side.size() < count ? side.size() : count;
      side.advance(step);
      count -= step;
    }
  }

  const Iterator m_first;
  const difference m_size;
  const unsigned m_workers;
  difference m_stripes;
  dynamic_array<run> m_runs;
};

/// As partition(), on up to `workers` workers. belongs_left may be called by several at once.
template <class Iterator, class BelongsLeft>
[[gnu::noinline]] Iterator partition_together(Iterator first, Iterator last, unsigned workers,
                                              BelongsLeft& belongs_left) {
  partition_by_stripes<Iterator> stripes(first, last, workers);
  if (!stripes.has_memory()) return sorting::partition(first, last, belongs_left);
  return stripes.partition(belongs_left);
}

}  // namespace ramie::detail::sorting
