// One queue for all workers, under one lock, with three priorities: the scheme that work stealing has replaced.
//
// The job queue of Gyrling: "Parallelizing the Naughty Dog Engine Using Fibers" (GDC 2015), and the baseline of every
// comparison of schedulers. First in, first out within a priority; a lower one waits as long as there is a higher one.
//
// It has no owner: any thread may call any operation. Top and bottom name the same end, where the oldest item of the
// highest priority is.
//
// The size is kept beside the lock in an atomic, so that looking at an empty queue costs no lock: without it, idle
// workers would keep the others out. A caller that sees an item waits for the lock, spinning first, then asleep: there
// is no other victim to go to, so nobody loses a race and goes away.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/work_queue.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <mutex>

namespace ramie::queue {

enum class priority : std::uint8_t { high, normal, low };

template <queue_item Item, class Provider = native_provider>
class global {
 public:
  using value_type = Item;

  explicit global(std::size_t /*capacity*/ = 0) {}
  global(const global&) = delete;
  global& operator=(const global&) = delete;

  /// Any thread. Throws std::bad_alloc; nothing was pushed then.
  void push(Item item, priority urgency) {
    const std::lock_guard guard(m_lock);
    Provider::writing(m_lists)[static_cast<std::size_t>(urgency)].push_back(item);
    publish_size(size() + 1);
  }

  /// Any thread: push() with normal priority. Always true.
  bool push_bottom(Item item) {
    push(item, priority::normal);
    return true;
  }

  /// Any thread.
  std::optional<Item> pop_bottom() {
    Item item{};
    if (take(std::span<Item>(&item, 1)) == 0) return std::nullopt;
    return item;
  }

  /// Any thread; as pop_bottom. Never lost_race.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread. Never lost_race.
  batch_result pop_top_batch(std::span<Item> out) {
    const std::size_t count = take(out);
    return {count != 0 ? steal_status::item : steal_status::empty, count};
  }

  [[nodiscard]] std::size_t size() const {
    // relaxed: the items are read under the lock. Not zero while an item whose push happened before is still there.
    return m_size.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  std::size_t take(std::span<Item> out) {
    if (size() == 0) return 0;
    const std::lock_guard guard(m_lock);
    const std::size_t present = size();
    const std::size_t wanted = std::min(out.size(), present - present / 2);
    std::size_t count = 0;
    for (std::deque<Item>& list : Provider::writing(m_lists)) {
      for (; count < wanted && !list.empty(); list.pop_front()) out[count++] = list.front();
    }
    publish_size(present - count);
    return count;
  }

  // Under the lock.
  void publish_size(std::size_t size) { m_size.store(size, std::memory_order_relaxed); }

  alignas(cache_line_size) typename Provider::template atomic<std::size_t> m_size{0};
  lock_of<Provider> m_lock;
  typename Provider::template plain<std::array<std::deque<Item>, 3>> m_lists;  // by priority, under the lock
};

}  // namespace ramie::queue
