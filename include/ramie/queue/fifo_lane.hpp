// A bounded FIFO ring that can be stolen from: where woken and yielded fibers wait for their turn.
//
// One producer, the owner; any number of consumers, the owner among them. `tail` is written by the owner, `head` by
// every consumer: item h belongs to the consumer whose CAS moves `head` from h. Both are 64-bit and count all items
// ever pushed and taken, so a head value occurs once and there is no ABA. (The shape of the run queues of Go and
// tokio.)
//
// Why the owner pays a CAS here and not in a deque: in FIFO order it takes from the same end as thieves do, so there is
// always a "last item" race. A fence could not replace it.
//
// Thieves take half at once (one CAS), because waking and migrating are dear and a lane with one item left is not.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/work_queue.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace ramie::queue {

template <queue_item Item, std::size_t Capacity = 256, class Provider = native_provider>
class fifo_lane {
  static_assert(std::has_single_bit(Capacity));
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using value_type = Item;
  static constexpr std::size_t capacity = Capacity;

  fifo_lane() = default;
  fifo_lane(const fifo_lane&) = delete;
  fifo_lane& operator=(const fifo_lane&) = delete;

  /// Owner. False: full, nothing was pushed.
  [[nodiscard]] bool push_bottom(Item item) {
    const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
    if (tail - m_head_seen >= Capacity) [[unlikely]] {
      // [N1] acquire: the consumer that moved head has read its cell before we overwrite it; pairs with [N3]. Weaker:
      // it takes the item that we are about to push.
      m_head_seen = m_head.load(std::memory_order_acquire);
      if (tail - m_head_seen >= Capacity) return false;
    }
    cell(tail).store(item, std::memory_order_relaxed);
    // [N2] release: publishes the cell and what the item points to; pairs with [N5].
    m_tail.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Owner. Oldest first.
  std::optional<Item> pop_bottom() {
    const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
    std::uint64_t head = m_head.load(std::memory_order_relaxed);
    while (head != tail) {  // head never passes a tail that its mover has seen, and the owner's tail is the newest
      const Item item = cell(head).load(std::memory_order_relaxed);
      // [N3] release: the cell was read before its reuse; pairs with [N1] (the owner's own, so trivially) and [N4].
      if (m_head.compare_exchange_weak(head, head + 1, std::memory_order_release, std::memory_order_relaxed)) {
        return item;
      }
    }
    return std::nullopt;
  }

  /// Owner, where there are no thieves at all: the same without the locked instruction.
  std::optional<Item> pop_bottom_unshared() {
    const std::uint64_t head = m_head.load(std::memory_order_relaxed);
    if (head == m_tail.load(std::memory_order_relaxed)) return std::nullopt;
    const Item item = cell(head).load(std::memory_order_relaxed);
    m_head.store(head + 1, std::memory_order_relaxed);
    return item;
  }

  /// Any thread.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread.
  batch_result pop_top_batch(std::span<Item> out) {
    // [N4] acquire: tail, read next, is at least the one that the last mover of head saw; pairs with [N3], [N6].
    // Weaker: an old tail below head, and a count that wraps.
    std::uint64_t head = m_head.load(std::memory_order_acquire);
    // [N5] acquire: the cells and what the items point to; pairs with [N2].
    const std::uint64_t available = m_tail.load(std::memory_order_acquire) - head;
    if (available == 0 || out.empty()) return {};
    std::uint64_t count = available - available / 2;
    if (count > out.size()) count = out.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      // May read a cell that has been reused meanwhile (available is then beyond Capacity): the CAS fails for it.
      out[i] = cell(head + i).load(std::memory_order_relaxed);
    }
    // [N6] release: as [N3]. On failure nothing of what was read is used.
    if (!m_head.compare_exchange_strong(head, head + count, std::memory_order_release, std::memory_order_relaxed)) {
      return {steal_status::lost_race, 0};
    }
    return {steal_status::item, static_cast<std::size_t>(count)};
  }

  [[nodiscard]] std::size_t size() const {
    const std::uint64_t head = m_head.load(std::memory_order_acquire);  // [N4]
    // tail relaxed: nothing is read by it, and by [N4] it is at least head. (Beside pop_bottom_unshared() that holds
    // for the owner alone.)
    return static_cast<std::size_t>(m_tail.load(std::memory_order_relaxed) - head);
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  atomic<Item>& cell(std::uint64_t index) { return m_cells[index % Capacity]; }

  alignas(cache_line_size) atomic<std::uint64_t> m_head{0};
  alignas(cache_line_size) atomic<std::uint64_t> m_tail{0};
  std::uint64_t m_head_seen = 0;  // owner only
  std::array<atomic<Item>, Capacity> m_cells{};
};

}  // namespace ramie::queue
