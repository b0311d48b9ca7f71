// Sorts keys that fit into a cache, by one distribution inside it.
#pragma once

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
  using number = std::make_unsigned_t<Integer>;

 public:
  /// The most keys of a leaf: with the copy a second-level cache of 512 KiB, and countable by 16 bits.
  static constexpr std::size_t most = std::min<std::size_t>(256 * 1024 / sizeof(Integer), 65535);

  /// For leaves of at most `count` keys.
  explicit leaf_sorter(std::size_t count = most) noexcept
      : m_keys(new(std::nothrow) Integer[count + windows<Integer>::padding]),
        m_ends(new(std::nothrow) std::uint16_t[count / keys_a_cell + 2]) {}

  [[nodiscard]] bool has_memory() const { return m_keys != nullptr && m_ends != nullptr; }

  void sort(Integer* keys, std::size_t count) noexcept {
    if (count < worth_distributing) return vector_sort(keys, count);
    const auto [least, largest] = range_of(keys, count);
    if (least == largest) return;
    const auto cells = static_cast<std::uint32_t>(count / keys_a_cell);
    const scale to_cells(least, largest, cells);
    distribute(keys, count, to_cells, cells);
    const bool by_windows = has_window_sort();
    std::uint16_t begin = 0;
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const std::uint16_t end = m_ends[cell];
      const auto size = static_cast<std::size_t>(end - begin);
      if (!by_windows) {
        sort_cell(m_keys.get() + begin, size, keys + begin);
      } else if (size > windows<Integer>::reach + 1) {
        vector_sort(m_keys.get() + begin, size);
      }
      begin = end;
    }
    if (by_windows) window_sort(m_keys.get(), count, keys);
  }

 private:
  static constexpr std::size_t keys_a_cell = 4;
  static constexpr std::size_t worth_distributing = 256;

  /// The cell of a key, by a multiplication: widths need not be powers of two.
  class scale {
   public:
    scale(Integer least, Integer largest, std::uint32_t cells) : m_least(static_cast<number>(least)) {
      const auto range = static_cast<number>(static_cast<number>(largest) - m_least);
      const auto bits = static_cast<int>(std::bit_width(range));
      m_shift = bits > 31 ? bits - 31 : 0;
      m_factor = (std::uint64_t{cells} << 32U) / (static_cast<std::uint64_t>(range >> m_shift) + 1);
    }
    [[nodiscard]] std::size_t operator()(Integer key) const {
      const auto distance = static_cast<number>(static_cast<number>(key) - m_least);
      return static_cast<std::size_t>((static_cast<std::uint64_t>(distance >> m_shift) * m_factor) >> 32U);
    }

   private:
    number m_least;
    int m_shift;
    std::uint64_t m_factor;
  };

  struct extremes {
    Integer least;
    Integer largest;
  };
  static extremes range_of(const Integer* keys, std::size_t count) {
    Integer least = keys[0];
    Integer largest = keys[0];
    for (std::size_t i = 1; i < count; ++i) {
      least = keys[i] < least ? keys[i] : least;
      largest = keys[i] > largest ? keys[i] : largest;
    }
    return {least, largest};
  }

  void distribute(const Integer* keys, std::size_t count, const scale& to_cells, std::uint32_t cells) {
    std::uint16_t* const ends = m_ends.get();
    std::fill_n(ends, cells, std::uint16_t{0});
    for (std::size_t i = 0; i < count; ++i) ++ends[to_cells(keys[i])];
    std::uint16_t before = 0;
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const std::uint16_t size = ends[cell];
      ends[cell] = before;
      before = static_cast<std::uint16_t>(before + size);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Integer key = keys[i];
      m_keys[ends[to_cells(key)]++] = key;
    }
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
  std::unique_ptr<std::uint16_t[]> m_ends;
};

}  // namespace ramie::detail::sorting
