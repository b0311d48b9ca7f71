// Sorting in place, not stable: a quicksort that recognizes patterns, on all workers.
//
// After Peters, "Pattern-defeating quicksort" (arXiv:2106.05123, 2021): a pivot from a few or many samples; a partition
// without branches; elements equal to the pivot before them are set apart at once, so few distinct ones take n log k; a
// range that was partitioned already is tried by insertion; after log n bad pivots heapsort takes over, so n log n
// holds for every input. In parallel: large ranges are partitioned by all workers together (parallel_partition.hpp),
// the two sides are a fork.
#pragma once

#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/sort/cyclic_partition.hpp>
#include <ramie/parallel/sort/heap_sort.hpp>
#include <ramie/parallel/sort/parallel_partition.hpp>
#include <ramie/parallel/sort/partition.hpp>
#include <ramie/parallel/sort/pieces.hpp>
#include <ramie/parallel/sort/small_sort.hpp>

#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace ramie::detail::sorting {

template <class Iterator, class Less>
class quicksort {
  using difference = std::iter_difference_t<Iterator>;
  using value = std::iter_value_t<Iterator>;
  // A copy in a register instead of a reference that every write might change.
  static constexpr bool pivot_is_copied = is_cheap_to_copy<value>;

 public:
  /// So many or fewer are not divided.
  static constexpr difference small = most_of_a_small_sort<value>;
  /// A fork, and a look whether to go on, are worth so many.
  static constexpr std::size_t default_grain = 1024;

  explicit quicksort(Less& less) : m_less(less) {}

  /// By the calling worker alone. O(log n) deep.
  void sort(Iterator first, Iterator last) { sort_alone({first, last, true, log_of(first, last), 0}); }

  /// By `workers` workers. Leaves the range in some order if it is told to stop.
  void sort_in_parallel(Iterator first, Iterator last, const parallel_policy& policy, permit& may, unsigned workers) {
    m_may = &may;
    m_grain = grain_of(policy, default_grain);
    m_workers = workers;
    sort_in_parallel(
        {first, last, true, log_of(first, last), forks_for(static_cast<std::size_t>(last - first), m_grain)});
  }

 private:
  struct part {
    Iterator first;
    Iterator last;
    bool leftmost;        ///< otherwise the element before `first` is not greater than any
    unsigned bad_pivots;  ///< how many more are put up with
    unsigned forks;       ///< how many more may nest
  };
  static unsigned log_of(Iterator first, Iterator last) {
    return static_cast<unsigned>(std::bit_width(static_cast<std::size_t>(last - first)));
  }
  static std::size_t size_of(const part& p) { return static_cast<std::size_t>(p.last - p.first); }

  struct cut {
    Iterator pivot;
    bool was_partitioned;
  };

  [[gnu::noinline]] void sort_in_parallel(part p) {
    while (p.forks != 0 && size_of(p) > m_grain) {
      if (!m_may->may_begin()) return;
      part right{};
      if (!m_may->guard([&] { return divide(p, right); })) return;
      right.forks = --p.forks;
      if (size_of(p) >= m_grain / 2 && size_of(right) >= m_grain / 2)
        return call_both([&] { sort_in_parallel(p); }, [&] { sort_in_parallel(right); });
      part& smaller = size_of(p) < size_of(right) ? p : right;
      m_may->guard([&] { sort_alone(smaller); });
      if (&smaller == &p) p = right;
    }
    if (size_of(p) > 1 && m_may->may_begin()) m_may->guard([&] { sort_alone(p); });
  }

  // The smaller side by recursion, the larger one by going on: log n deep.
  [[gnu::noinline]] void sort_alone(part p) {
    while (p.last - p.first > small) {
      part right{};
      if (!divide(p, right)) return;
      if (right.last - right.first < p.last - p.first) {
        sort_alone(right);
      } else {
        sort_alone(p);
        p = right;
      }
    }
    small_sort(p.first, p.last, m_less);
  }

  /// Partitions p; it becomes the left side. False: there is nothing left to do.
  bool divide(part& p, part& right) {
    for (;;) {
      const difference size = p.last - p.first;
      if (size <= small) {
        small_sort(p.first, p.last, m_less);
        return false;
      }
      if (const Iterator pivot = choose_pivot(p.first, size); pivot != p.first) std::iter_swap(p.first, pivot);
      if (!p.leftmost && !m_less(*(p.first - 1), *p.first)) {
        // The pivot equals the least of all: its equals are done.
        p.first = equals_first(p);
        continue;
      }
      const auto [pivot, was_partitioned] = unequal_first(p);
      right = {pivot + 1, p.last, false, p.bad_pivots, 0};
      p.last = pivot;
      const difference left_size = p.last - p.first;
      const difference right_size = right.last - right.first;
      if (left_size < size / 8 || right_size < size / 8) {
        if (p.bad_pivots == 0) {
          heap_sort(p.first, p.last, m_less);
          heap_sort(right.first, right.last, m_less);
          return false;
        }
        right.bad_pivots = --p.bad_pivots;
        disturb(p.first, left_size);
        disturb(right.first, right_size);
      } else if (was_partitioned && insertion_sort_if_nearly_sorted(p.first, p.last, m_less) &&
                 insertion_sort_if_nearly_sorted(right.first, right.last, m_less)) {
        return false;
      }
      return true;
    }
  }

  Iterator median(Iterator a, Iterator b, Iterator c) {
    const bool a_b = m_less(*a, *b);
    if (a_b != m_less(*a, *c)) return a;
    return a_b == m_less(*b, *c) ? b : c;
  }

  // The median of medians of three, as many levels as the range is large.
  Iterator choose_pivot(Iterator first, difference size) {
    const difference step = size / 8;
    if (size < 64) return median(first, first + 4 * step, first + 7 * step);
    return median_of_many(first, first + 4 * step, first + 7 * step, step);
  }
  Iterator median_of_many(Iterator a, Iterator b, Iterator c, difference size) {
    if (size >= 8) {
      const difference step = size / 8;
      a = median_of_many(a, a + 4 * step, a + 7 * step, step);
      b = median_of_many(b, b + 4 * step, b + 7 * step, step);
      c = median_of_many(c, c + 4 * step, c + 7 * step, step);
    }
    return median(a, b, c);
  }

  using pivot_type = std::conditional_t<pivot_is_copied, value, const value&>;

  /// Moves the elements less than the pivot, which is the first, before it.
  cut unequal_first(const part& p) {
    pivot_type pivot = *p.first;
    const auto is_less = [&](const value& each) -> bool { return m_less(each, pivot); };
    Iterator first = p.first + 1;
    Iterator last = p.last;
    while (first != last && is_less(*first)) ++first;
    while (first != last && !is_less(*(last - 1))) --last;
    const bool was_partitioned = first == last;
    if (!was_partitioned) first = partition_here(first, last, is_less);
    --first;
    if (first != p.first) std::iter_swap(p.first, first);
    return {first, was_partitioned};
  }

  /// Moves the elements equal to the pivot, which is the first and a least one, before the others; returns where the
  /// others begin.
  Iterator equals_first(const part& p) {
    pivot_type pivot = *p.first;
    const auto is_equal = [&](const value& each) -> bool { return !m_less(pivot, each); };
    return partition_here(p.first + 1, p.last, is_equal);
  }

  template <class BelongsLeft>
  Iterator partition_here(Iterator first, Iterator last, BelongsLeft& belongs_left) {
    if (m_workers > 1 && last - first >= 2 * least_stripe) [[unlikely]]
      return partition_together(first, last, m_workers, belongs_left);
    if constexpr (is_cheap_to_copy<value>) return cyclic_partition(first, last, belongs_left);
    return sorting::partition(first, last, belongs_left);
  }

  /// After a bad pivot some elements change places, so that the samples of the next one are others.
  static void disturb(Iterator first, difference size) {
    if (size < 64) return;
    const difference quarter = size / 4;
    for (difference i = 0; i < 3; ++i) {
      std::iter_swap(first + i, first + quarter + i);
      std::iter_swap(first + (size - 1 - i), first + (size - quarter - i));
    }
  }

  Less& m_less;
  permit* m_may = nullptr;
  std::size_t m_grain = default_grain;
  unsigned m_workers = 1;
};

}  // namespace ramie::detail::sorting
