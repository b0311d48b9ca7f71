// Sorts keys that fit into a cache, by one distribution inside it.
#pragma once

#include "parallel/cells.hpp"
#include "parallel/vector_sort.hpp"
#include "parallel/window_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace ramie::detail::sorting {

/// The memory that a worker needs for it, and how it is used.
///
/// The range from the least key to the largest is cut into cells of equal width, four keys a cell on average; the keys
/// are counted and distributed to their cells. If they are spread evenly, as those of one bucket of a distribution by
/// samples mostly are, nearly all are now a few places from their own, and networks without branches do the rest
/// (window_sort.hpp). Cells with too many keys for that are sorted first, one by one. (Distribution to cells of equal
/// width: Dobosiewicz, "Sorting by distributive partitioning", Information Processing Letters 7, 1978.)
template <class Integer>
class leaf_sorter {
 public:
  /// The most keys of a leaf: with the copy a second-level cache of 512 KiB, and countable by 16 bits.
  static constexpr std::size_t most = std::min<std::size_t>(256 * 1024 / sizeof(Integer), 65535);

  /// For leaves of at most `count` keys.
  explicit leaf_sorter(std::size_t count = most) noexcept
      : m_keys(new(std::nothrow) Integer[count + windows<Integer>::padding]),
        m_cells(new(std::nothrow) std::uint16_t[count]),
        m_ends(new(std::nothrow) std::uint16_t[count / keys_a_cell + 2]),
        m_crowded(new(std::nothrow) std::uint16_t[count / keys_a_cell + 2]) {}

  [[nodiscard]] bool has_memory() const {
    return m_keys != nullptr && m_cells != nullptr && m_ends != nullptr && m_crowded != nullptr;
  }

  void sort(Integer* keys, std::size_t count) noexcept {
    if (count < worth_distributing) return vector_sort(keys, count);
    const auto [least, largest] = range_of_keys(keys, count);
    if (least == largest) return;
    const auto cells = static_cast<std::uint32_t>(count / keys_a_cell);
    const cell_scale<Integer> scale(least, largest, cells);
    if (cells_of_keys(keys, count, scale, m_cells.get())) {
      distribute(keys, count, cells, [in = m_cells.get()](std::size_t i) { return in[i]; });
    } else {
      distribute(keys, count, cells, [&](std::size_t i) { return scale(keys[i]); });
    }
    if (has_window_sort()) {
      for (std::size_t i = 0; i < m_crowds; ++i) {
        const std::size_t begin = begin_of(m_crowded[i]);
        vector_sort(m_keys.get() + begin, m_ends[m_crowded[i]] - begin);
      }
      window_sort(m_keys.get(), count, keys);
    } else {
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const std::size_t begin = begin_of(cell);
        sort_cell(m_keys.get() + begin, m_ends[cell] - begin, keys + begin);
      }
    }
  }

 private:
  static constexpr std::size_t keys_a_cell = 4;
  static constexpr std::size_t worth_distributing = 256;

  [[nodiscard]] std::size_t begin_of(std::size_t cell) const { return cell == 0 ? 0 : m_ends[cell - 1]; }

  // Leaves in m_ends where each cell ends, and in m_crowded those whose keys may be too far from their places.
  template <class CellOf>
  [[gnu::always_inline]] void distribute(const Integer* keys, std::size_t count, std::uint32_t cells,
                                         const CellOf& cell_of) {
    std::uint16_t* const ends = m_ends.get();
    std::fill_n(ends, cells, std::uint16_t{0});
    for (std::size_t i = 0; i < count; ++i) ++ends[cell_of(i)];
    std::uint16_t before = 0;
    m_crowds = 0;
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const std::uint16_t size = ends[cell];
      ends[cell] = before;
      before = static_cast<std::uint16_t>(before + size);
      m_crowded[m_crowds] = static_cast<std::uint16_t>(cell);
      m_crowds += size > windows<Integer>::reach + 1;
    }
    Integer* const to = m_keys.get();
    for (std::size_t i = 0; i < count; ++i) to[ends[cell_of(i)]++] = keys[i];
  }

  // Every key to the place that it has by counting: the comparisons do not wait for one another.
  static void sort_cell(Integer* from, std::size_t count, Integer* to) {
    if (count > 2 * windows<Integer>::length) {
      vector_sort(from, count);
      std::copy_n(from, count, to);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Integer key = from[i];
      std::size_t place = 0;
      for (std::size_t j = 0; j < i; ++j) place += from[j] <= key;
      for (std::size_t j = i + 1; j < count; ++j) place += from[j] < key;
      to[place] = key;
    }
  }

  std::unique_ptr<Integer[]> m_keys;
  std::unique_ptr<std::uint16_t[]> m_cells;    // of each key
  std::unique_ptr<std::uint16_t[]> m_ends;     // of each cell
  std::unique_ptr<std::uint16_t[]> m_crowded;  // cells
  std::size_t m_crowds = 0;
};

}  // namespace ramie::detail::sorting
