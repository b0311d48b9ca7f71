// A deque under one lock: the baseline, and the queue that is easy to believe. LIFO for the owner, FIFO for thieves.
//
// The size is kept beside the lock in an atomic, so that looking at an empty queue costs no lock: without it, idle
// thieves would keep the owner out.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/work_queue.hpp>

#include <algorithm>
#include <deque>
#include <mutex>

namespace ramie::queue {

template <queue_item Item, class Provider = native_provider>
class locked {
 public:
  using value_type = Item;

  explicit locked(std::size_t /*capacity*/ = 0) {}
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

  /// Owner. Always true. Throws std::bad_alloc; nothing was pushed then.
  bool push_bottom(Item item) {
    const std::lock_guard guard(m_lock);
    Provider::writing(m_items).push_back(item);
    publish_size();
    return true;
  }

  /// Owner. Newest first.
  std::optional<Item> pop_bottom() {
    if (size() == 0) return std::nullopt;  // only the owner adds, so this is no guess
    const std::lock_guard guard(m_lock);
    std::deque<Item>& items = Provider::writing(m_items);
    if (items.empty()) return std::nullopt;
    const Item item = items.back();
    items.pop_back();
    publish_size();
    return item;
  }

  /// Any thread. Oldest first. lost_race: the lock was taken, by the owner or by another thief.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread. A thief does not wait for the lock: it has other victims.
  batch_result pop_top_batch(std::span<Item> out) {
    if (size() == 0) return {};
    const std::unique_lock guard(m_lock, std::try_to_lock);
    if (!guard.owns_lock()) return {steal_status::lost_race, 0};
    std::deque<Item>& items = Provider::writing(m_items);
    const std::size_t count = std::min(out.size(), (items.size() + 1) / 2);
    if (count == 0) return {};
    std::copy_n(items.begin(), count, out.begin());
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
    publish_size();
    return {steal_status::item, count};
  }

  [[nodiscard]] std::size_t size() const {
    // relaxed: the items are read under the lock. Not zero while an item whose push happened before is still there.
    return m_size.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  void publish_size() { m_size.store(Provider::reading(m_items).size(), std::memory_order_relaxed); }

  alignas(cache_line_size) typename Provider::template atomic<std::size_t> m_size{0};
  lock_of<Provider> m_lock;
  typename Provider::template plain<std::deque<Item>> m_items;  // under the lock
};

}  // namespace ramie::queue
