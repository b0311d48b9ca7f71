// Input that is in order already, or in the opposite one: n - 1 comparisons, by all workers.
//
// Anything else is found out by the first two elements that disagree; so it costs random input next to nothing.
#pragma once

#include <ramie/parallel/range.hpp>
#include <ramie/parallel/sort/pieces.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace ramie::detail::sorting {

template <class Iterator, class Less>
class existing_order {
  using difference = std::iter_difference_t<Iterator>;

 public:
  existing_order(Iterator first, Iterator last, Less& less, unsigned workers)
      : m_first(first), m_size(last - first), m_less(less), m_workers(workers) {}

  /// True: the range is sorted now. Equal elements keep their order. The range has two elements or more.
  [[nodiscard]] bool sort_if_ordered() {
    const bool falls = m_less(m_first[1], m_first[0]);
    if (falls ? !holds([](auto& less, auto& a, auto& b) -> bool { return less(b, a); })
              : !holds([](auto& less, auto& a, auto& b) -> bool { return !less(b, a); })) {
      return false;
    }
    if (falls) reverse();
    return true;
  }

 private:
  static constexpr difference piece = at_most<difference>(4 * 1024);

  // Whether `in_order` is true of all neighbours.
  template <class InOrder>
  bool holds(InOrder in_order) {
    const difference pairs = m_size - 1;
    // A range that is out of order usually shows it at its beginning.
    const difference alone = pairs < piece ? pairs : piece;
    for (difference i = 0; i < alone; ++i) {
      if (!in_order(m_less, m_first[i], m_first[i + 1])) return false;
    }
    const std::size_t pieces = parts_of(static_cast<std::size_t>(pairs - alone), static_cast<std::size_t>(piece));
    return all_of_pieces(pieces, m_workers, [&](std::size_t at, std::size_t) {
      const difference begin = alone + static_cast<difference>(at) * piece;
      const Iterator last = m_first + (pairs - begin > piece ? begin + piece : pairs);
      Less& less = m_less;
      for (Iterator i = m_first + begin; i != last; ++i) {
        if (!in_order(less, *i, *(i + 1))) return false;
      }
      return true;
    });
  }

  void reverse() {
    const difference half = m_size / 2;
    const std::size_t pieces = parts_of(static_cast<std::size_t>(half), static_cast<std::size_t>(piece));
    each_throwing_piece(pieces, m_workers, [&](std::size_t at) {
      const difference begin = static_cast<difference>(at) * piece;
      const Iterator last = m_first + (half - begin > piece ? begin + piece : half);
      Iterator from_the_end = m_first + (m_size - begin);
      for (Iterator i = m_first + begin; i != last; ++i) std::iter_swap(i, --from_the_end);
    });
  }

  const Iterator m_first;
  const difference m_size;
  Less& m_less;
  const unsigned m_workers;
};

/// Sorts the range if it was sorted in one direction or the other. Stable. Throws what `less` throws.
template <class Iterator, class Less>
[[nodiscard]] bool sort_by_existing_order(Iterator first, Iterator last, Less& less, unsigned workers) {
  return existing_order<Iterator, Less>(first, last, less, workers).sort_if_ordered();
}

}  // namespace ramie::detail::sorting
