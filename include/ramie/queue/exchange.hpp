// A ring with one index word for both ends, which everybody moves. LIFO for the owner, FIFO for thieves; bounded.
//
// After the job queue of injinj's WSQ, which goes back to Reinalter's "Job System 2.0": no fences; the thread that
// moves the packed index {top, bottom, count} owns a cell, and exchanges its content out. Where this differs:
//   - There, a pusher moves the index and then stores, so that a taker of the cell may have to wait for its content; an
//     exchange with "empty" finds out. Here the owner stores first. Nobody else touches the cell at bottom, and a
//     change of top does not move bottom. So the thread that has moved the index reads at once: no wait, and no
//     exchange where a load does.
//   - An item may be any 64 bits, 0 too, so that no value of it can mean "empty". A flag beside it does.
//   - The push adds to the word instead of exchanging it: with top + count fixed and count only falling otherwise, no
//     look at the word can come too late. It never retries.
//
// Layout: `index` holds {top:32, count:32}; bottom is (top + count) modulo the capacity. Top is kept modulo the
// capacity too. Written by the owner (count up, count down) and by thieves (top up, count down by as much). A cell is
// an item and `full`: set by the owner before the item is in the index, cleared by the taker of the item, after it has
// been read.
//
// The last item: one word, so that owner and thief cannot both count it out of the ring.
//
// A slow thief: top has moved past its cell, and it has not read it. The owner, come round to that cell, finds it full,
// and push_bottom is false, as if the ring held one more. To wait would be to wait for a thread that may have lost its
// processor; a producer of a bounded queue has another place for a refused item. As nothing is pushed over a full cell,
// nobody comes to a cell that another has still to read.
//
// ABA: the word does come back (a pop and a push are enough), and a compare-exchange that began before may succeed on
// it. Such a success is harmless, and needs no tag: the word itself has all that the exchange decides on, and the cell
// is read only when it is ours. (What tags protect against is content that was read before.)
//
// Reclamation: none, the ring lives as long as the queue, and only the owner of a cell reads it.
#pragma once

#include <ramie/base/assert.hpp>
#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/cell_array.hpp>
#include <ramie/queue/work_queue.hpp>

#include <algorithm>
#include <cstdint>

namespace ramie::queue {

/// Both ends of a ring: where it begins, and how many items it has.
class ends_word {
 public:
  /// To be added to the bits: one more at the bottom.
  static constexpr std::uint64_t one_more = std::uint64_t{1} << 32;

  explicit ends_word(std::uint64_t bits) : m_bits(bits) {}
  [[nodiscard]] std::uint64_t bits() const { return m_bits; }
  [[nodiscard]] std::uint64_t top() const { return m_bits & (one_more - 1); }
  [[nodiscard]] std::uint64_t count() const { return m_bits >> 32; }
  /// The first free cell; the last item's is the one before.
  [[nodiscard]] std::uint64_t bottom() const { return top() + count(); }
  [[nodiscard]] ends_word one_less_at_the_bottom() const { return ends_word(m_bits - one_more); }
  [[nodiscard]] ends_word less_at_the_top(std::uint64_t taken, std::uint64_t mask) const {
    return ends_word(((count() - taken) << 32) | ((top() + taken) & mask));
  }

 private:
  std::uint64_t m_bits;
};

template <queue_item Item, class Provider = native_provider>
class exchange {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using value_type = Item;
  static constexpr std::size_t max_capacity = std::size_t{1} << 31;

  /// Room for `capacity` items, at least 1 and at most max_capacity, rounded up to a power of two. Throws
  /// std::bad_alloc.
  explicit exchange(std::size_t capacity = 1024) : m_cells(capacity) {
    RAMIE_ASSERT(capacity <= max_capacity, "an exchange queue is larger than its index can count");
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  /// Owner. False: full, or a thief has still to read the cell that is next.
  [[nodiscard]] bool push_bottom(Item item) {
    const ends_word ends(m_ends.load(std::memory_order_relaxed));
    if (ends.count() == m_cells.size()) return false;
    cell& next = m_cells[ends.bottom()];
    // [E1] acquire: the taker of the cell's last item has read it before we overwrite it; pairs with [E4]. Weaker: the
    // thief takes the item that we are about to push. Kept, though models do not see it: they never delay a load past a
    // later store, which C++ allows.
    if (next.full.load(std::memory_order_acquire)) return false;
    next.item.store(item, std::memory_order_relaxed);
    next.full.store(true, std::memory_order_relaxed);  // for ourselves, and before its end by [E2] and [E3]
    // [E2] release: publishes the cell and what the item points to; pairs with [E3]. Weaker: the thief reads a stale
    // cell, or an item whose content it does not see. All changes of the word are read-modify-writes, so a reader of a
    // later one synchronizes with this too.
    m_ends.fetch_add(ends_word::one_more, std::memory_order_release);
    return true;
  }

  /// Owner. Newest first. Each retry means that a thief has got something.
  std::optional<Item> pop_bottom() {
    std::uint64_t bits = m_ends.load(std::memory_order_relaxed);
    for (;;) {
      const ends_word ends(bits);
      if (ends.count() == 0) return std::nullopt;
      // relaxed: the owner takes what it has put there itself, and publishes nothing.
      if (m_ends.compare_exchange_weak(bits, ends.one_less_at_the_bottom().bits(), std::memory_order_relaxed,
                                       std::memory_order_relaxed)) {
        return empty(m_cells[ends.bottom() - 1]);
      }
    }
  }

  /// Any thread. Oldest first.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread. One CAS a batch.
  batch_result pop_top_batch(std::span<Item> out) {
    const ends_word ends(m_ends.load(std::memory_order_relaxed));
    if (ends.count() == 0 || out.empty()) return {};
    const std::size_t count = std::min<std::size_t>(out.size(), ends.count() - ends.count() / 2);
    std::uint64_t expected = ends.bits();
    // [E3] acquire: pairs with [E2]. Failure is relaxed: nothing is taken by it.
    if (!m_ends.compare_exchange_strong(expected, ends.less_at_the_top(count, m_cells.mask()).bits(),
                                        std::memory_order_acquire, std::memory_order_relaxed)) {
      return {steal_status::lost_race, 0};
    }
    for (std::size_t i = 0; i < count; ++i) out[i] = empty(m_cells[ends.top() + i]);
    return {steal_status::item, count};
  }

  [[nodiscard]] std::size_t size() const {
    // relaxed: a guess by the time it is read. Not zero while an item whose push happened before is still there.
    return static_cast<std::size_t>(ends_word(m_ends.load(std::memory_order_relaxed)).count());
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  struct cell {
    atomic<Item> item{};
    atomic<bool> full{false};
  };

  // For the operation that has moved the index past the cell.
  static Item empty(cell& ours) {
    const Item item = ours.item.load(std::memory_order_relaxed);
    // [E4] release: the item has been read before its cell is used again; pairs with [E1]. Kept, as that one.
    ours.full.store(false, std::memory_order_release);
    return item;
  }

  alignas(cache_line_size) atomic<std::uint64_t> m_ends{0};
  alignas(cache_line_size) cell_array<cell, Provider> m_cells;
};

}  // namespace ramie::queue
