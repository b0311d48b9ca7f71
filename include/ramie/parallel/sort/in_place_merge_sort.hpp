// Sorting, stable, without memory for a copy: where there is none, and for elements whose moves may throw.
//
// A merge sort whose merges change the places of neighbouring blocks (Dudzinski, Dydek, "On a stable minimum storage
// merging algorithm", Information Processing Letters 12, 1981, which std::inplace_merge without a buffer goes back to):
// n log² n moves, n log n comparisons. Elements only change places, so whatever a comparison throws, all are there.
#pragma once

#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/sort/pieces.hpp>
#include <ramie/parallel/sort/small_sort.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace ramie::detail::sorting {

template <class Iterator, class Less>
class in_place_merge_sort {
  using difference = std::iter_difference_t<Iterator>;

 public:
  static constexpr difference small = 12;
  static constexpr std::size_t default_grain = 1024;

  in_place_merge_sort(Less& less, const parallel_policy& policy, permit& may)
      : m_less(less), m_may(may), m_grain(static_cast<std::ptrdiff_t>(grain_of(policy, default_grain))) {}

  void sort(Iterator first, Iterator last) {
    sort(first, last, forks_for(static_cast<std::size_t>(last - first), static_cast<std::size_t>(m_grain)));
  }

 private:
  // So many more forks may nest.
  void sort(Iterator first, Iterator last, unsigned forks) {
    const difference size = last - first;
    if (size <= small) return m_may.guard([&] { insertion_sort(first, first, last, m_less); });
    const Iterator middle = first + size / 2;
    if (size > m_grain && !m_may.may_begin()) return;
    if (size > m_grain && forks != 0) {
      call_both([&] { sort(first, middle, forks - 1); }, [&] { sort(middle, last, forks - 1); });
    } else {
      sort(first, middle, 0);
      sort(middle, last, 0);
    }
    merge(first, middle, last, forks);
  }

  void merge(Iterator first, Iterator middle, Iterator last, unsigned forks) {
    for (;;) {
      if (first == middle || middle == last) return;
      if (last - first > m_grain && !m_may.may_begin()) return;
      const cut at = m_may.guard([&] { return exchange_blocks(first, middle, last); });
      if (at.done) return;
      if (last - first > m_grain && forks != 0) {
        return call_both([&] { merge(first, at.of_left, at.boundary, forks - 1); },
                         [&] { merge(at.boundary, at.of_right, last, forks - 1); });
      }
      merge(first, at.of_left, at.boundary, 0);
      first = at.boundary;
      middle = at.of_right;
    }
  }

  // Afterwards [first, of_left) and [of_left, boundary) are to be merged, and [boundary, of_right) and [of_right,
  // last).
  struct cut {
    bool done;
    Iterator of_left;
    Iterator boundary;
    Iterator of_right;
  };

  cut exchange_blocks(Iterator first, Iterator middle, Iterator last) {
    if (!m_less(*middle, *(middle - 1))) return {true, first, first, first};
    const difference left = middle - first;
    const difference right = last - middle;
    if (left == 1 && right == 1) {
      std::iter_swap(first, middle);
      return {true, first, first, first};
    }
    Iterator of_left = first;
    Iterator of_right = middle;
    if (left >= right) {
      of_left += left / 2;
      of_right = partition_point(middle, last, [&](auto& each) -> bool { return m_less(each, *of_left); });
    } else {
      of_right += right / 2;
      of_left = partition_point(first, middle, [&](auto& each) -> bool { return !m_less(*of_right, each); });
    }
    // Two neighbouring blocks change places by three reversals.
    reverse(of_left, middle);
    reverse(middle, of_right);
    reverse(of_left, of_right);
    const Iterator boundary = of_left + (of_right - middle);
    return {false, of_left, boundary, of_right};
  }

  template <class Belongs>
  static Iterator partition_point(Iterator first, Iterator last, Belongs belongs) {
    difference size = last - first;
    while (size > 0) {
      const difference half = size / 2;
      if (belongs(first[half])) {
        first += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    return first;
  }

  static void reverse(Iterator first, Iterator last) {
    while (last - first > 1) std::iter_swap(first++, --last);
  }

  Less& m_less;
  permit& m_may;
  const std::ptrdiff_t m_grain;
};

}  // namespace ramie::detail::sorting
