// The first non-blocking work-stealing deque. LIFO for the owner, FIFO for thieves; a fixed array.
//
// Arora, Blumofe, Plaxton: "Thread Scheduling for Multiprogrammed Multiprocessors" (SPAA 1998), figure 5. Where this
// differs: the orders are those of C++20, not sequential consistency throughout; a push into a full array is refused,
// which the paper leaves open; a thief that loses a race says so.
//
// Layout: `age` holds {top:24, tag:40}. Thieves move its top by compare-exchange; the owner puts both in their next
// state where the deque becomes empty. It is alone on its line. `bottom`, the first free cell, is written by the owner.
// Items lie in [top, bottom). Both only grow, until the owner finds the deque empty, or empties it, in pop_bottom: then
// bottom and top go back to 0, with the next tag.
//
// It has a known weakness, kept because comparisons are made for its sake: items that thieves take from the top leave
// room that nobody can use before the owner has emptied the deque. A push is refused with the array nearly empty.
//
// The last item: pop announces bottom - 1, then reads age; a thief reads age, then bottom. The full fence between the
// two steps on both sides means that at least one sees the other. If only one item is there, both go through a
// compare-exchange on age.
//
// ABA: top comes back to 0 with every reset, while a thief may hold an age and an item that it has read before. The tag
// tells the fillings of the array apart. It comes round after 2^40 resets; each takes a pop with a full fence and a
// compare-exchange, ten nanoseconds at least, so that a thief would have to stand still for three hours between two
// instructions, and then go on at the one reset in 2^40 that brings its age back. (Tests make do with fewer bits.)
//
// Reclamation: none, the array lives as long as the deque. A thief may read a cell that is used again meanwhile; cells
// are atomic, and its compare-exchange fails.
#pragma once

#include <ramie/base/assert.hpp>
#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/cell_array.hpp>
#include <ramie/queue/work_queue.hpp>

#include <cstdint>

namespace ramie::queue {

/// Where thieves take, and which filling of the array that is about.
template <unsigned TagBits>
class age_word {
 public:
  static constexpr unsigned top_bits = 24;
  static_assert(TagBits <= 64 - top_bits);

  explicit age_word(std::uint64_t bits) : m_bits(bits) {}
  [[nodiscard]] std::uint64_t bits() const { return m_bits; }
  [[nodiscard]] std::uint64_t top() const { return m_bits & ((std::uint64_t{1} << top_bits) - 1); }
  /// After the item at top is gone.
  [[nodiscard]] age_word taken() const { return age_word(m_bits + 1); }
  /// An empty array, to be filled again.
  [[nodiscard]] age_word reset() const {
    const std::uint64_t tag = (m_bits >> top_bits) + 1;
    return age_word((tag & ((std::uint64_t{1} << TagBits) - 1)) << top_bits);
  }

 private:
  std::uint64_t m_bits;
};

template <queue_item Item, class Provider = native_provider, unsigned TagBits = 40>
class abp {
  template <class T>
  using atomic = typename Provider::template atomic<T>;
  using age = age_word<TagBits>;

 public:
  using value_type = Item;
  static constexpr std::size_t max_capacity = std::size_t{1} << (age::top_bits - 1);

  /// Room for `capacity` items, at least 1 and at most max_capacity, rounded up to a power of two. Throws
  /// std::bad_alloc.
  explicit abp(std::size_t capacity = 1024) : m_cells(capacity) {
    RAMIE_ASSERT(capacity <= max_capacity, "an abp deque is larger than its top can count");
  }
  abp(const abp&) = delete;
  abp& operator=(const abp&) = delete;

  /// Owner. False: the end of the array is reached, though there may be room at its beginning, which pop_bottom gives
  /// back where it leaves the deque empty, or finds it so.
  [[nodiscard]] bool push_bottom(Item item) {
    const std::uint64_t bottom = m_bottom.load(std::memory_order_relaxed);
    if (bottom == m_cells.size()) return false;
    m_cells[bottom].store(item, std::memory_order_relaxed);
    // [A1] release: publishes the cell and what the item points to; pairs with [A5]. Weaker: the thief reads a stale
    // cell, or an item whose content it does not see.
    m_bottom.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// Owner. Newest first.
  std::optional<Item> pop_bottom() {
    const std::uint64_t before = m_bottom.load(std::memory_order_relaxed);
    if (before == 0) return std::nullopt;
    const std::uint64_t bottom = before - 1;
    // [A2] release, as [A1]: thieves synchronize with whichever store of bottom they read.
    m_bottom.store(bottom, std::memory_order_release);
    // [A9] full fence: bottom is announced before age is read; pairs with [A10] in pop_top. Weaker: owner and thief
    // miss each other and both take the last item.
    Provider::fence_seq_cst();
    const Item item = m_cells[bottom].load(std::memory_order_relaxed);
    // [A3] acquire: a thief that moved top has read its cell before we use it again; pairs with [A6]. Weaker: it takes
    // the item that we push in its item's place. Kept, though models do not see it: they never delay a load past a
    // later store, which C++ allows.
    age seen(m_age.load(std::memory_order_acquire));
    if (bottom > seen.top()) return item;  // not the last: no thief comes here
    // relaxed: a thief takes nothing by a bottom of 0. Before the reset of age, so that a thread which sees the reset
    // sees this store.
    m_bottom.store(0, std::memory_order_relaxed);
    if (bottom == seen.top()) {
      std::uint64_t expected = seen.bits();
      // [A4] release: pairs with [A10]. Weaker: a thief sees the new age beside an old bottom, and takes what was in
      // the array before. Failure is relaxed: the value read is not used.
      if (m_age.compare_exchange_strong(expected, seen.reset().bits(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return item;
      }
      // [A7] acquire, as [A3], for the thief that was faster. Kept, as that one.
      seen = age(m_age.load(std::memory_order_acquire));
    }
    // The deque is empty, so that no thief moves top now. [A8] release, as [A4].
    m_age.store(seen.reset().bits(), std::memory_order_release);
    return std::nullopt;
  }

  /// Any thread. Oldest first.
  steal_result<Item> pop_top() {
    // relaxed: with an old age the CAS fails. [A10] is an acquire fence, which with [A4] and [A8] makes a bottom
    // visible that is not older than a reset.
    const age seen(m_age.load(std::memory_order_relaxed));
    Provider::fence_seq_cst();  // [A10], pairs with [A9], [A4], [A8]
    // [A5] acquire: pairs with [A1], [A2].
    const std::uint64_t bottom = m_bottom.load(std::memory_order_acquire);
    if (bottom <= seen.top()) return {steal_status::empty, {}};
    const Item item = m_cells[seen.top()].load(std::memory_order_relaxed);
    std::uint64_t expected = seen.bits();
    // [A6] release, so that the cell has been read before the owner uses it again; pairs with [A3], [A7]. Kept, as
    // those. Failure is relaxed: nothing read afterwards depends on it.
    if (!m_age.compare_exchange_strong(expected, seen.taken().bits(), std::memory_order_release,
                                       std::memory_order_relaxed)) {
      return {steal_status::lost_race, {}};
    }
    return {steal_status::item, item};
  }

  /// Any thread. One CAS an item: the owner takes all but the last without one, so a thief cannot claim several.
  batch_result pop_top_batch(std::span<Item> out) {
    const std::size_t half = (size() + 1) / 2;
    batch_result result;
    while (result.count < out.size() && (result.count == 0 || result.count < half)) {
      const steal_result<Item> one = pop_top();
      if (one.status != steal_status::item) {
        if (result.count == 0) result.status = one.status;
        break;
      }
      out[result.count++] = one.item;
      result.status = steal_status::item;
    }
    return result;
  }

  [[nodiscard]] std::size_t size() const {
    // relaxed: a guess by the time it is read. Not zero while an item whose push happened before is still there: no
    // reset comes between that push and the item's end, so age and bottom are of the same filling.
    const std::uint64_t top = age(m_age.load(std::memory_order_relaxed)).top();
    const std::uint64_t bottom = m_bottom.load(std::memory_order_relaxed);
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  alignas(cache_line_size) atomic<std::uint64_t> m_age{0};
  alignas(cache_line_size) atomic<std::uint64_t> m_bottom{0};
  cell_array<atomic<Item>, Provider> m_cells;
};

}  // namespace ramie::queue
