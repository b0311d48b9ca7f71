// Partition in place, without a branch on the outcome of a comparison.
//
// From each side a block of elements is compared with the pivot, and the offsets of those that lie on the wrong side
// are written down: always written, and counted only if wrong, so that there is nothing to predict. Then those of the
// left change places with those of the right. (Edelkamp, Weiß, "BlockQuicksort: avoiding branch mispredictions in
// quicksort", ESA 2016.) Nothing moves while something is compared: a comparator that throws leaves a permutation.
//
// The two sides need not be neighbours: see parallel_partition.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace ramie::detail::sorting {

/// `first` is where the offsets count from; a left side counts upwards, a right side downwards.
template <class Iterator>
class wrong_side {
  using difference = std::iter_difference_t<Iterator>;

 public:
  static constexpr difference block = 64;

  [[nodiscard]] bool empty() const { return m_next == m_end; }
  [[nodiscard]] difference size() const { return m_end - m_next; }

  /// Left side: those of [from, from + size) for which belongs_left says no.
  template <class BelongsLeft>
  void find_upwards(Iterator from, difference size, BelongsLeft& belongs_left) {
    difference found = 0;
    for (difference i = 0; i < size; ++i) {
      m_offsets[found] = static_cast<std::uint8_t>(i);
      found += !belongs_left(from[i]);
    }
    set(from, found);
  }
  /// Right side: those of [end - size, end) for which belongs_left says yes.
  template <class BelongsLeft>
  void find_downwards(Iterator end, difference size, BelongsLeft& belongs_left) {
    difference found = 0;
    for (difference i = 1; i <= size; ++i) {
      m_offsets[found] = static_cast<std::uint8_t>(i);
      found += belongs_left(*(end - i)) ? 1 : 0;
    }
    set(end, found);
  }

  /// As many as both have change places: along a chain, with one move an element and one more.
  static void exchange(wrong_side& left, wrong_side& right) {
    const difference count = left.size() < right.size() ? left.size() : right.size();
    if (count == 0) return;
    Iterator l = left.take_upwards();
    Iterator r = right.take_downwards();
    std::iter_value_t<Iterator> first(std::move(*l));
    *l = std::move(*r);
    for (difference i = 1; i < count; ++i) {
      l = left.take_upwards();
      *r = std::move(*l);
      r = right.take_downwards();
      *l = std::move(*r);
    }
    *r = std::move(first);
  }

  Iterator take_upwards() { return m_from + m_offsets[m_next++]; }
  Iterator take_downwards() { return m_from - m_offsets[m_next++]; }
  // The one nearest to the middle comes last.
  Iterator take_last_upwards() { return m_from + m_offsets[--m_end]; }
  Iterator take_last_downwards() { return m_from - m_offsets[--m_end]; }

 private:
  void set(Iterator from, difference found) {
    m_from = from;
    m_next = 0;
    m_end = found;
  }

  Iterator m_from{};
  difference m_next = 0;
  difference m_end = 0;
  std::uint8_t m_offsets[block];
};

/// Puts those for which belongs_left says yes before the others; returns where the others begin. One call an element.
template <class Iterator, class BelongsLeft>
Iterator partition(Iterator first, Iterator last, BelongsLeft&& belongs_left) {
  using side = wrong_side<Iterator>;
  using difference = std::iter_difference_t<Iterator>;
  side left;
  side right;
  // [first, last) has not been looked at; what lies beyond either end is right, but for what the sides have found.
  while (first != last) {
    const difference unknown = last - first;
    if (left.empty()) {
      const difference half = right.empty() ? unknown - unknown / 2 : unknown;
      const difference size = half < side::block ? half : side::block;
      left.find_upwards(first, size, belongs_left);
      first += size;
    }
    if (right.empty() && first != last) {
      const difference rest = last - first;
      const difference size = rest < side::block ? rest : side::block;
      right.find_downwards(last, size, belongs_left);
      last -= size;
    }
    side::exchange(left, right);
  }
  // At most one side has some left, in its last block, which ends where the two sides have met.
  while (!left.empty()) {
    --last;
    if (Iterator wrong = left.take_last_upwards(); wrong != last) std::iter_swap(wrong, last);
  }
  while (!right.empty()) {
    if (Iterator wrong = right.take_last_downwards(); wrong != last) std::iter_swap(wrong, last);
    ++last;
  }
  return last;
}

/// Where two sides end that are partitioned together.
template <class Iterator>
struct apart_result {
  Iterator left;   ///< of the left side: where those begin that belong right
  Iterator right;  ///< of the right side
};

/// The same with two ranges, the left one before the right one with anything in between: those that belong left go left
/// as far as there is room. Afterwards each range is partitioned, and there are wrong ones in at most one of the two.
template <class Iterator, class BelongsLeft>
apart_result<Iterator> partition_apart(Iterator left_first, Iterator left_last, Iterator right_first,
                                       Iterator right_last, BelongsLeft&& belongs_left) {
  using side = wrong_side<Iterator>;
  side left;
  side right;
  // Ends of what has not been looked at, and of the blocks before that, which have some wrong ones left.
  Iterator left_block = left_first;
  Iterator right_block = right_last;
  for (;;) {
    if (left.empty()) {
      left_block = left_first;
      if (left_first == left_last) break;
      const auto rest = left_last - left_first;
      const auto size = rest < side::block ? rest : side::block;
      left.find_upwards(left_first, size, belongs_left);
      left_first += size;
    }
    if (right.empty()) {
      right_block = right_last;
      if (right_first == right_last) break;
      const auto rest = right_last - right_first;
      const auto size = rest < side::block ? rest : side::block;
      right.find_downwards(right_last, size, belongs_left);
      right_last -= size;
    }
    side::exchange(left, right);
  }
  // One side is all right. The rest of the other is looked at once more from its last block on, at most 64 twice.
  if (left_block == left_last) return {left_last, sorting::partition(right_first, right_block, belongs_left)};
  return {sorting::partition(left_block, left_last, belongs_left), right_first};
}

}  // namespace ramie::detail::sorting
