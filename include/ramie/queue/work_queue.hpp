// The one concept behind every work-stealing queue.
//
// A queue belongs to an owner, which works at its bottom; thieves take from its top. The verbs are those of the
// literature (Arora, Blumofe, Plaxton 1998). Items are small trivially copyable values: pointers, or 64-bit numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

namespace ramie::queue {

enum class steal_status {
  item,       ///< one was taken
  empty,      ///< there was nothing to take
  lost_race,  ///< another was faster, or the owner has been asked for something to steal: trying again may succeed
};

/// The result of pop_top; `item` is meaningful only if status says so.
template <class T>
struct steal_result {
  steal_status status = steal_status::empty;
  T item{};
};

/// The result of pop_top_batch: count > 0 exactly if status is item.
struct batch_result {
  steal_status status = steal_status::empty;
  std::size_t count = 0;
};

template <class Item>
concept queue_item = std::is_trivially_copyable_v<Item> && sizeof(Item) <= sizeof(void*);

template <class Queue>
concept work_queue = requires(Queue queue, const Queue& view, typename Queue::value_type item,
                              std::span<typename Queue::value_type> out) {
  requires queue_item<typename Queue::value_type>;
  /// Owner. False: the queue is bounded and full, nothing was pushed.
  { queue.push_bottom(item) } -> std::same_as<bool>;
  /// Owner. The queue's nature (LIFO or FIFO) decides from which end.
  { queue.pop_bottom() } -> std::same_as<std::optional<typename Queue::value_type>>;
  /// Any thread.
  { queue.pop_top() } -> std::same_as<steal_result<typename Queue::value_type>>;
  /// Any thread. Takes at most out.size() items, and at most half of all, rounded up.
  { queue.pop_top_batch(out) } -> std::same_as<batch_result>;
  /// Any thread; a guess by the time it is read. Exact for an owner without thieves. Never says empty while an item
  /// whose push happened before the call is still there.
  { view.size() } -> std::same_as<std::size_t>;
  /// Any thread; a guess by the time it is read: whether it is worth while to call pop_top, perhaps more than once.
  /// Never false while an item whose push happened before the call is there and thieves may have it. (size() != 0,
  /// but for queues that keep some of their items to the owner.)
  { view.stealable() } -> std::same_as<bool>;
};

}  // namespace ramie::queue
