// The way out where quicksort meets input that is made against it: n log n whatever the input is.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

namespace ramie::detail::sorting {

/// Floyd's variant of heapsort (Communications of the ACM 7, 1964). By swaps, so that whatever `less` throws or says,
/// every element is still there.
template <class Iterator, class Less>
class heap {
  using difference = std::iter_difference_t<Iterator>;

 public:
  heap(Iterator first, Less& less) : m_first(first), m_less(less) {}

  void sort(difference size) {
    for (difference parent = size / 2; parent-- > 0;) sink(parent, size);
    for (difference last = size - 1; last > 0; --last) {
      std::iter_swap(m_first, m_first + last);
      sink(0, last);
    }
  }

 private:
  void sink(difference parent, difference size) {
    for (;;) {
      if (parent >= size / 2) return;  // it has no child, whose number might be none that a difference can be
      difference child = 2 * parent + 1;
      if (child + 1 < size && m_less(m_first[child], m_first[child + 1])) ++child;
      if (!m_less(m_first[parent], m_first[child])) return;
      std::iter_swap(m_first + parent, m_first + child);
      parent = child;
    }
  }

  Iterator m_first;
  Less& m_less;
};

template <class Iterator, class Less>
[[gnu::noinline]] void heap_sort(Iterator first, Iterator last, Less& less) {
  heap<Iterator, Less>(first, less).sort(last - first);
}

}  // namespace ramie::detail::sorting
