// Not for users.
//
// The items of a channel, first in, first out. The channel's lock guards all of it.
//
// Bounded: one block, which is its own successor, so it is a ring. Unbounded: a list of blocks; the sender that needs
// another one allocates it without the lock, and one that is left empty is kept for the next time.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace ramie::detail {

inline constexpr std::size_t unbounded_channel = SIZE_MAX;

template <class T, class Provider = native_provider>
class channel_items {
  template <class U>
  using plain = typename Provider::template plain<U>;

 public:
  struct block {
    explicit block(std::size_t items) : size(items) {}
    const std::size_t size;
    plain<block*> next = nullptr;
  };

  /// The largest capacity of a bounded channel.
  static constexpr std::size_t max_capacity = (SIZE_MAX / 2 - 2 * alignof(T) - sizeof(block)) / sizeof(T);

  /// Throws std::bad_alloc.
  explicit channel_items(std::size_t capacity) : m_capacity(capacity) {
    if (capacity == 0 || capacity == unbounded_channel) return;
    block* const ring = allocate(capacity);
    ring->next = ring;
    m_first_block = ring;
    m_last_block = ring;
  }
  channel_items(const channel_items&) = delete;
  channel_items& operator=(const channel_items&) = delete;
  ~channel_items() {
    while (m_count != 0) {
      std::optional<T> gone;
      free(pop(gone));
    }
    free(m_spare);
    free(m_first_block);  // the only one: an empty list has no more
  }

  [[nodiscard]] std::size_t count() const { return m_count; }
  [[nodiscard]] bool has_room() const { return m_count < m_capacity; }

  /// Whether a push() needs a block first, which is add()ed: never where the channel is bounded.
  [[nodiscard]] bool needs_block() const {
    block* const last = m_last_block;
    if (last == nullptr) return true;
    return m_end == last->size && last->next == nullptr && m_spare == nullptr;
  }
  /// Without the lock. Throws std::bad_alloc.
  [[nodiscard]] static block* allocate_block() { return allocate(items_in_block); }
  /// Returns it, or null where it was needed.
  [[nodiscard]] block* add(block* fresh) {
    if (!needs_block()) return fresh;
    if (m_last_block == nullptr) {
      m_first_block = fresh;
      m_last_block = fresh;
    } else {
      m_spare = fresh;
    }
    return nullptr;
  }
  /// Without the lock. Of null: nothing.
  static void free(block* gone) {
    if (gone == nullptr) return;
    const std::size_t size = gone->size;
    gone->~block();
    Provider::deallocate(gone, offset + size * sizeof(T), alignment);
  }

  /// There is room, and no block is needed.
  void push(T& item) {
    block* last = m_last_block;
    std::size_t end = m_end;
    if (end == last->size) {
      if (last->next == nullptr) {
        last->next = m_spare;
        m_spare = nullptr;
      }
      last = last->next;
      m_last_block = last;
      end = 0;
    }
    new (slot(*last, end)) T(std::move(item));
    m_end = end + 1;
    m_count = m_count + 1;
  }

  /// There is one. Returns a block to be freed, or null.
  [[nodiscard]] block* pop(std::optional<T>& into) {
    block* first = m_first_block;
    block* left = nullptr;
    std::size_t begin = m_begin;
    if (begin == first->size) {
      block* const next = first->next;
      if (next != first) left = first;
      first = next;
      m_first_block = first;
      begin = 0;
    }
    T* const item = static_cast<T*>(static_cast<void*>(slot(*first, begin)));
    into.emplace(std::move(*item));
    item->~T();
    const std::size_t count = m_count - 1;
    m_count = count;
    m_begin = begin + 1;
    if (count == 0) {  // it is the only block then; the same lines of it are used again
      m_begin = 0;
      m_end = 0;
    }
    if (left == nullptr || m_spare != nullptr) return left;
    left->next = nullptr;
    m_spare = left;
    return nullptr;
  }

 private:
  static constexpr std::size_t alignment = alignof(T) > alignof(block) ? alignof(T) : alignof(block);
  static constexpr std::size_t offset = (sizeof(block) + alignment - 1) / alignment * alignment;
  static constexpr std::size_t items_in_block = 2000 / sizeof(T) > 4 ? 2000 / sizeof(T) : 4;

  static block* allocate(std::size_t items) {
    return new (Provider::allocate(offset + items * sizeof(T), alignment)) block(items);
  }
  static void* slot(block& of, std::size_t at) {
    return reinterpret_cast<std::byte*>(&of) + offset + at * sizeof(T);  // NOLINT: raw memory behind the header
  }

  const std::size_t m_capacity;
  plain<std::size_t> m_count = 0;
  plain<block*> m_first_block = nullptr;  // of the oldest item
  plain<std::size_t> m_begin = 0;
  plain<block*> m_last_block = nullptr;  // of the youngest
  plain<std::size_t> m_end = 0;
  plain<block*> m_spare = nullptr;
};

}  // namespace ramie::detail
