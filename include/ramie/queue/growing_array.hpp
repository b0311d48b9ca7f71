// The ring of cells of an unbounded deque: indexed by numbers that only the deque gives a meaning, replaced by a larger
// one when it is full. A thief may still read a ring that the owner has outgrown, so outgrown ones live as long as the
// deque (they add up to less than the current one), and their cells are written no more.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/lifetime.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/work_queue.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ramie::queue {

template <queue_item Item, class Provider>
class growing_array {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  /// A header, then the cells in the same allocation.
  class ring {
   public:
    [[nodiscard]] std::int64_t capacity() const { return m_mask + 1; }
    [[nodiscard]] atomic<Item>& cell(std::int64_t index) {
      return reinterpret_cast<atomic<Item>*>(this + 1)[index & m_mask];
    }

   private:
    friend class growing_array;
    ring(std::int64_t mask, ring* outgrown) : m_mask(mask), m_outgrown(outgrown) {}

    static std::size_t bytes_for(std::size_t capacity) { return sizeof(ring) + capacity * sizeof(atomic<Item>); }
    static ring* make(std::size_t capacity, ring* outgrown) {
      static_assert(sizeof(ring) % alignof(atomic<Item>) == 0);
      void* const memory = Provider::allocate(bytes_for(capacity), cache_line_size);
      ring* const made = new (memory) ring(static_cast<std::int64_t>(capacity) - 1, outgrown);
      for (std::size_t i = 0; i < capacity; ++i) detail::begin_at(reinterpret_cast<atomic<Item>*>(made + 1) + i);
      return made;
    }
    static void free(ring* made) {
      const auto capacity = static_cast<std::size_t>(made->capacity());
      for (std::size_t i = 0; i < capacity; ++i) detail::end_at(reinterpret_cast<atomic<Item>*>(made + 1) + i);
      Provider::deallocate(made, bytes_for(capacity), cache_line_size);
    }

    std::int64_t m_mask;
    ring* m_outgrown;
  };

  /// Room for `capacity` items, rounded up to a power of two, 2 or more. Throws std::bad_alloc.
  explicit growing_array(std::size_t capacity)
      : m_current(ring::make(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity), nullptr)) {}
  growing_array(const growing_array&) = delete;
  growing_array& operator=(const growing_array&) = delete;
  ~growing_array() {
    for (ring* each = m_current.load(std::memory_order_relaxed); each != nullptr;) {
      ring* const outgrown = each->m_outgrown;
      ring::free(each);
      each = outgrown;
    }
  }

  /// Owner.
  [[nodiscard]] ring* of_owner() const { return m_current.load(std::memory_order_relaxed); }

  /// Any thread. [Q2] acquire: pairs with [Q1], for a thief whose indices are from before the growth. Weaker: a ring
  /// whose cells it does not see.
  [[nodiscard]] ring* of_thief() const { return m_current.load(std::memory_order_acquire); }

  /// Owner. A ring of twice the size with the items [first, last). Throws std::bad_alloc; nothing has changed then.
  [[gnu::noinline, gnu::cold]] ring* grow(std::int64_t first, std::int64_t last) {
    ring* const old = of_owner();
    ring* const grown = ring::make(static_cast<std::size_t>(old->capacity()) * 2, old);
    for (std::int64_t i = first; i < last; ++i) {
      grown->cell(i).store(old->cell(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    m_current.store(grown, std::memory_order_release);  // [Q1], pairs with [Q2]
    return grown;
  }

 private:
  atomic<ring*> m_current;
};

}  // namespace ramie::queue
