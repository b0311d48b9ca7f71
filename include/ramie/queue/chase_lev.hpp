// The dynamic circular work-stealing deque. LIFO for the owner, FIFO for thieves; unbounded.
//
// Chase, Lev: "Dynamic Circular Work-Stealing Deque" (SPAA 2005); orders after Lê, Pop, Cohen, Zappa Nardelli:
// "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013). Where this differs:
//   - push publishes by a release store of `bottom` instead of a release fence and a relaxed store: the same cost, and
//     the edge is one that TSan sees.
//   - the store with which pop announces itself is a release too. In C++20 a relaxed store by the same thread no longer
//     continues a release sequence; a thief that read pop's relaxed `bottom` would not synchronize with the push of the
//     item that it goes on to take, and could read a stale cell.
//   - the CAS on `top` is not seq_cst: the fences [C7] and [C8] order all that the last item's race needs.
//   - pop first looks without a fence whether the deque is empty: only the owner makes it non-empty, so a `top` that
//     has reached `bottom` stays there, however old the value read is.
//   - push keeps the last `top` it has seen. `top` only grows, so the deque looks fuller than it is, never emptier.
//
// Layout: `top` is written by every taker from the top, and alone on its line. `bottom`, the array pointer and the
// cached top are written by the owner.
//
// Indices are 64-bit and never wrap in practice (a push a nanosecond for 292 years); they are versions, so there is no
// ABA: `top` takes each value once, and the CAS that moves it from t to t + 1 takes item t.
//
// The last item: pop announces b = bottom - 1, then reads top; a thief reads top, then bottom. The full fence between
// the two steps on both sides means that at least one sees the other. If top == b both go through the CAS on top.
//
// Reclamation: outgrown arrays live as long as the deque; see growing_array.hpp.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/growing_array.hpp>
#include <ramie/queue/work_queue.hpp>

#include <cstdint>

namespace ramie::queue {

template <queue_item Item, class Provider = native_provider>
class chase_lev {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using value_type = Item;

  /// Room for `capacity` items, rounded up to a power of two, before the first growth. Throws std::bad_alloc.
  explicit chase_lev(std::size_t capacity = 1024) : m_items(capacity) {}

  chase_lev(const chase_lev&) = delete;
  chase_lev& operator=(const chase_lev&) = delete;

  /// Owner. Always true. Throws std::bad_alloc if the deque had to grow and could not; nothing was pushed then.
  bool push_bottom(Item item) {
    const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed);
    auto* items = m_items.of_owner();
    if (bottom - m_top_seen >= items->capacity()) [[unlikely]] {
      // [C1] acquire: a thief that moved top has read its cell before we overwrite it; pairs with [C6]. Weaker: the
      // thief takes the item that we are about to push in its place. Kept, though models do not see it: they never
      // delay a load past a later store, which C++ allows.
      m_top_seen = m_top.load(std::memory_order_acquire);
      if (bottom - m_top_seen >= items->capacity()) items = m_items.grow(m_top_seen, bottom);
    }
    items->cell(bottom).store(item, std::memory_order_relaxed);
    // [C2] release: publishes the cell, the array and what the item points to; pairs with [C5]. Weaker: the thief
    // reads a stale cell, or an item whose content it does not see.
    m_bottom.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// Owner. Newest first.
  std::optional<Item> pop_bottom() {
    const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed) - 1;
    if (m_top.load(std::memory_order_relaxed) > bottom) return std::nullopt;
    auto* const items = m_items.of_owner();
    // [C3] release, as [C2]: thieves synchronize with whichever store of bottom they read.
    m_bottom.store(bottom, std::memory_order_release);
    // [C7] full fence: bottom is announced before top is read; pairs with [C8] in pop_top. Weaker: owner and thief
    // both miss each other and take the last item twice.
    Provider::fence_seq_cst();
    std::int64_t top = m_top.load(std::memory_order_relaxed);
    if (top < bottom) return items->cell(bottom).load(std::memory_order_relaxed);  // not the last: no thief comes here
    // The last one. relaxed: nothing is published by it. The owner reads its own cell, and reuses it only after [C1].
    const bool won = top == bottom &&
                     m_top.compare_exchange_strong(top, top + 1, std::memory_order_relaxed, std::memory_order_relaxed);
    // [C4] release, as [C3]; pairs with [C5]. Kept, as [C1]: top has reached it, so a thread that reads this takes
    // something by it only where its CAS [C6] came before our look at top, which a load delayed past a later store
    // would need.
    m_bottom.store(bottom + 1, std::memory_order_release);
    // Not an optional made earlier and copied: gcc would store its halves and load both at once, which no store buffer
    // forwards.
    if (!won) return std::nullopt;
    return items->cell(bottom).load(std::memory_order_relaxed);
  }

  /// Any thread. Oldest first.
  steal_result<Item> pop_top() {
    // relaxed: an old top makes the CAS fail. A new one beside an old bottom cannot be: [C8] is an acquire fence, which
    // with [C6], or with the [C7] before the owner's CAS, makes the bottom visible that the last mover of top had seen.
    std::int64_t top = m_top.load(std::memory_order_relaxed);
    Provider::fence_seq_cst();  // [C8], pairs with [C7]
    // [C5] acquire: pairs with [C2], [C3].
    const std::int64_t bottom = m_bottom.load(std::memory_order_acquire);
    if (top >= bottom) return {steal_status::empty, {}};
    const Item item = m_items.of_thief()->cell(top).load(std::memory_order_relaxed);
    // [C6] release, so that the cell has been read before the owner reuses it; pairs with [C1]. Kept, as that one:
    // models never delay a load past a later store. Failure is relaxed: nothing read afterwards depends on it.
    if (!m_top.compare_exchange_strong(top, top + 1, std::memory_order_release, std::memory_order_relaxed)) {
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
    // relaxed: a guess by the time it is read. Not zero while an item whose push happened before is still there.
    const std::int64_t top = m_top.load(std::memory_order_relaxed);
    const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed);
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  alignas(cache_line_size) atomic<std::int64_t> m_top{0};
  alignas(cache_line_size) atomic<std::int64_t> m_bottom{0};
  growing_array<Item, Provider> m_items;
  std::int64_t m_top_seen = 0;  // owner only
};

}  // namespace ramie::queue
