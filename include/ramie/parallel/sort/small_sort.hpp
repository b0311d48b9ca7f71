// A few elements, stable.
#pragma once

#include <ramie/base/lifetime.hpp>
#include <ramie/parallel/sort/branch_free.hpp>
#include <ramie/parallel/sort/merge.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace ramie::detail::sorting {

/// An element that has been lifted out of the range, and the place that is free for it. If something throws before
/// put_back(), it comes back there all the same: so a comparison that throws loses nothing. (A move that throws may.)
template <class Iterator>
class lifted {
 public:
  explicit lifted(Iterator from) : m_free(from), m_value(std::move(*from)) {}
  lifted(const lifted&) = delete;
  lifted& operator=(const lifted&) = delete;
  ~lifted() {
    if (m_is_back) return;
    try {
      *m_free = std::move(m_value);
    } catch (...) {  // NOLINT(bugprone-empty-catch): another exception is on its way
    }
  }

  [[nodiscard]] std::iter_value_t<Iterator>& value() { return m_value; }
  /// Moves the element at `from` to the free place; `from` is free then.
  void fill_from(Iterator from) {
    *m_free = std::move(*from);
    m_free = from;
  }
  void put_back() {
    m_is_back = true;
    *m_free = std::move(m_value);
  }

 private:
  Iterator m_free;
  std::iter_value_t<Iterator> m_value;
  bool m_is_back = false;
};

/// Moves *last into the sorted [first, last), behind the elements equal to it.
template <class Iterator, class Less>
void insert_last(Iterator first, Iterator last, Less& less) {
  Iterator before = last;
  if (!less(*last, *--before)) return;
  lifted<Iterator> moving(last);
  for (;;) {
    moving.fill_from(before);
    if (before == first || !less(moving.value(), *--before)) return moving.put_back();
  }
}

/// Stable. About n²/4 comparisons and moves. [first, sorted) is sorted already.
template <class Iterator, class Less>
void insertion_sort(Iterator first, Iterator sorted, Iterator last, Less& less) {
  if (sorted == first && sorted != last) ++sorted;
  for (; sorted != last; ++sorted) insert_last(first, sorted, less);
}

/// Sorts if few moves are enough; otherwise gives up, leaves the elements in some order, and returns false.
template <class Iterator, class Less>
bool insertion_sort_if_nearly_sorted(Iterator first, Iterator last, Less& less) {
  constexpr std::iter_difference_t<Iterator> patience = 8;
  if (first == last) return true;
  std::iter_difference_t<Iterator> moves = 0;
  for (Iterator next = first + 1; next != last; ++next) {
    Iterator before = next;
    if (!less(*next, *--before)) continue;
    lifted<Iterator> moving(next);
    for (;;) {
      moving.fill_from(before);
      ++moves;
      if (moves > patience || before == first || !less(moving.value(), *--before)) break;
    }
    moving.put_back();
    if (moves > patience) return false;
  }
  return true;
}

/// Elements that are cheap to copy: four, from `from` to `to`, by five comparisons and no branch on them. (As driftsort
/// does.)
template <class In, class Out, class Less>
void sort_four(In from, Out to, Less& less) {
  // Two pairs; the least of all and the largest of all; of the two between them, the one that came first.
  const auto ba = without_branch(less(from[1], from[0]));
  const auto dc = without_branch(less(from[3], from[2]));
  const auto& low_1 = choose(ba, from[1], from[0]);
  const auto& high_1 = choose(ba, from[0], from[1]);
  const auto& low_2 = choose(dc, from[3], from[2]);
  const auto& high_2 = choose(dc, from[2], from[3]);
  const auto low_2_first = without_branch(less(low_2, low_1));
  const auto high_1_last = without_branch(less(high_2, high_1));
  const auto& one = choose(low_2_first, low_1, choose(high_1_last, low_2, high_1));
  const auto& other = choose(high_1_last, high_2, choose(low_2_first, high_1, low_2));
  const auto other_first = without_branch(less(other, one));
  begin_at(address_of(to[0]), choose(low_2_first, low_2, low_1));
  begin_at(address_of(to[1]), choose(other_first, other, one));
  begin_at(address_of(to[2]), choose(other_first, one, other));
  begin_at(address_of(to[3]), choose(high_1_last, high_1, high_2));
}

template <class T>
inline constexpr std::ptrdiff_t most_of_a_small_sort = is_cheap_to_copy<T> ? 32 : 12;

/// At most most_of_a_small_sort elements: by insertion, or, if they are cheap to copy, by merges of fours.
template <class Iterator, class Less>
class small_merge_sort {
  using difference = std::iter_difference_t<Iterator>;
  using value = std::iter_value_t<Iterator>;

 public:
  small_merge_sort(Iterator first, difference size, Less& less) : m_first(first), m_size(size), m_less(less) {}

  void sort() {
    try {
      sort_fours();
      for (difference width = 4; width < m_size; width *= 2) {
        if (m_is_aside) {
          merge_pairs(aside(), m_first, width);
        } else {
          merge_pairs(m_first, aside(), width);
        }
        m_is_aside = !m_is_aside;
      }
    } catch (...) {
      bring_back();
      throw;
    }
    bring_back();
  }

 private:
  // The elements read are complete, whatever has been written elsewhere when a comparison throws.
  void bring_back() {
    if (m_is_aside) relocate_all(aside(), aside() + m_size, m_first);
  }

  void sort_fours() {
    difference at = 0;
    for (; at + 4 <= m_size; at += 4) sort_four(m_first + at, aside() + at, m_less);
    relocate_all(m_first + at, m_first + m_size, aside() + at);
    m_is_aside = true;
    insertion_sort(aside() + at, aside() + at, aside() + m_size, m_less);
  }

  template <class In, class Out>
  void merge_pairs(In from, Out to, difference width) {
    for (difference at = 0; at < m_size; at += 2 * width) {
      const difference rest = m_size - at;
      const difference a = rest < width ? rest : width;
      const difference b = rest - a < width ? rest - a : width;
      const merge_job<In, Out> job{from + at, a, from + (at + a), b, to + at};
      if (!merge_from_both_ends(job, m_less)) job.concatenate();  // no order: any will do
    }
  }

  value* aside() { return reinterpret_cast<value*>(m_aside); }

  const Iterator m_first;
  const difference m_size;
  Less& m_less;
  bool m_is_aside = false;
  alignas(value) std::byte m_aside[sizeof(value) * static_cast<std::size_t>(most_of_a_small_sort<value>)];
};

template <class Iterator, class Less>
void small_sort(Iterator first, Iterator last, Less& less) {
  if constexpr (is_cheap_to_copy<std::iter_value_t<Iterator>>) {
    if (last - first >= 8) return small_merge_sort<Iterator, Less>(first, last - first, less).sort();
  }
  insertion_sort(first, first, last, less);
}

}  // namespace ramie::detail::sorting
