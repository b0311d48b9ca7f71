// The common part of the block-based queues: the blocks, in one allocation, and the word that says which items of a
// block thieves may take.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/work_queue.hpp>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

namespace ramie::queue {

/// Throws std::invalid_argument if no queue can have this shape.
inline void require_valid(const block_shape& shape) {
  if (shape.blocks < 2 || shape.blocks > most_blocks) {
    throw std::invalid_argument("a block-based queue has at least 2 blocks and at most 65,536");
  }
  if (shape.entries < 1 || shape.entries > most_block_entries) {
    throw std::invalid_argument("a block of a queue has at least 1 entry and at most 4,095");
  }
}

/// {tag:40, next:12, end:12}: entries [next, end) of a block are for thieves. The tag tells one use of the block from
/// the next.
class block_range {
 public:
  static constexpr unsigned index_bits = 12;
  static constexpr std::uint64_t index_mask = (1U << index_bits) - 1;
  static constexpr std::uint64_t tag_mask = ~std::uint64_t{0} >> (2 * index_bits);

  constexpr block_range() = default;
  constexpr explicit block_range(std::uint64_t bits) : m_bits(bits) {}
  constexpr block_range(std::uint64_t tag, std::uint64_t next, std::uint64_t end)
      : m_bits(tag << (2 * index_bits) | next << index_bits | end) {}

  [[nodiscard]] constexpr std::uint64_t bits() const { return m_bits; }
  [[nodiscard]] constexpr std::uint64_t tag() const { return m_bits >> (2 * index_bits); }
  [[nodiscard]] constexpr std::uint64_t next() const { return m_bits >> index_bits & index_mask; }
  [[nodiscard]] constexpr std::uint64_t end() const { return m_bits & index_mask; }
  [[nodiscard]] constexpr bool empty() const { return next() == end(); }
  [[nodiscard]] constexpr std::uint64_t size() const { return end() - next(); }
  [[nodiscard]] constexpr block_range without_first(std::uint64_t count) const {
    return block_range(m_bits + (count << index_bits));
  }
  [[nodiscard]] constexpr block_range up_to(std::uint64_t end) const {
    return block_range((m_bits & ~index_mask) | end);
  }

 private:
  std::uint64_t m_bits = 0;
};

/// `shape.blocks` blocks: a Header each, which begins and ends at a cache line, and behind it the block's cells.
template <class Header, queue_item Item, class Provider>
class block_ring {
  using cell = typename Provider::template atomic<Item>;

 public:
  /// Throws std::invalid_argument, std::bad_alloc.
  explicit block_ring(const block_shape& shape)
      : m_blocks((require_valid(shape), shape.blocks)),
        m_entries(shape.entries),
        m_stride((sizeof(Header) + m_entries * sizeof(cell) + cache_line_size - 1) / cache_line_size * cache_line_size),
        m_memory(static_cast<std::byte*>(Provider::allocate(m_blocks * m_stride, cache_line_size))) {
    static_assert(sizeof(Header) % cache_line_size == 0 && alignof(Header) == cache_line_size);
    for (std::size_t i = 0; i < m_blocks; ++i) {
      std::byte* const at = m_memory + i * m_stride;
      ::new (at) Header(m_entries);
      std::uninitialized_value_construct_n(reinterpret_cast<cell*>(at + sizeof(Header)), m_entries);
    }
  }
  block_ring(const block_ring&) = delete;
  block_ring& operator=(const block_ring&) = delete;
  ~block_ring() {
    for (std::size_t i = 0; i < m_blocks; ++i) {
      std::destroy_n(cells(header(i)), m_entries);
      std::destroy_at(&header(i));
    }
    Provider::deallocate(m_memory, m_blocks * m_stride, cache_line_size);
  }

  [[nodiscard]] std::size_t blocks() const { return m_blocks; }
  [[nodiscard]] std::size_t entries() const { return m_entries; }
  [[nodiscard]] std::size_t after(std::size_t block) const { return block + 1 == m_blocks ? 0 : block + 1; }
  [[nodiscard]] std::size_t before(std::size_t block) const { return (block == 0 ? m_blocks : block) - 1; }
  [[nodiscard]] Header& header(std::size_t block) const {
    return *std::launder(reinterpret_cast<Header*>(m_memory + block * m_stride));
  }
  [[nodiscard]] static cell* cells(Header& of) {
    return std::launder(reinterpret_cast<cell*>(reinterpret_cast<std::byte*>(&of) + sizeof(Header)));
  }

 private:
  std::size_t m_blocks;
  std::size_t m_entries;
  std::size_t m_stride;
  std::byte* m_memory;
};

}  // namespace ramie::queue
