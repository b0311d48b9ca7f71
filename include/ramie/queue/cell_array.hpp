// The cells of a bounded queue: a power of two of them, in one allocation of the provider's.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/lifetime.hpp>
#include <ramie/base/provider.hpp>

#include <bit>
#include <cstddef>

namespace ramie::queue {

template <class Cell, class Provider>
class cell_array {
 public:
  /// At least `wanted` cells, rounded up to a power of two, each value-initialized. Throws std::bad_alloc.
  explicit cell_array(std::size_t wanted)
      : m_mask(std::bit_ceil(wanted == 0 ? std::size_t{1} : wanted) - 1),
        m_cells(static_cast<Cell*>(Provider::allocate(bytes(), cache_line_size))) {
    for (std::size_t i = 0; i < size(); ++i) detail::begin_at(m_cells + i);
  }
  cell_array(const cell_array&) = delete;
  cell_array& operator=(const cell_array&) = delete;
  ~cell_array() {
    for (std::size_t i = 0; i < size(); ++i) detail::end_at(m_cells + i);
    Provider::deallocate(m_cells, bytes(), cache_line_size);
  }

  [[nodiscard]] std::size_t size() const { return m_mask + 1; }
  [[nodiscard]] std::size_t mask() const { return m_mask; }
  /// Wraps.
  [[nodiscard]] Cell& operator[](std::size_t index) { return m_cells[index & m_mask]; }

 private:
  [[nodiscard]] std::size_t bytes() const { return size() * sizeof(Cell); }

  std::size_t m_mask;
  Cell* m_cells;
};

}  // namespace ramie::queue
