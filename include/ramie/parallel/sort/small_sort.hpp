// A few elements.
#pragma once

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

/// Moves *last into the sorted [first, last), behind what is equal to it.
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

}  // namespace ramie::detail::sorting
