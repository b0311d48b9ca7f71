// Not for users.
//
// A worker's own tasks: a LIFO deque of the kind that was chosen.
#pragma once

#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/split.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace ramie::detail {

using other_deque = queue::any_queue<work_item*>;

/// The owner: the newest item, or whatever its pop takes; null if there is none. Calls notify() where the pop has given
/// thieves what they had asked for: they may be asleep.
template <class Deque, class Notify>
[[gnu::always_inline]] inline typename Deque::value_type pop_and_notify(Deque& own, Notify&& notify) {
  const std::optional<typename Deque::value_type> popped = own.pop_bottom();
  if (own.gave()) [[unlikely]]
    notify();
  return popped.value_or(nullptr);
}

/// The default kind is held by value, and costs not one instruction for the choice: where another kind was chosen, the
/// default is an unused one, whose fast paths are false.
class task_deque {
 public:
  /// Owns `other`. Null: the kind that is held by value, with room for `capacity` at first.
  task_deque(other_deque* other, std::size_t capacity);
  ~task_deque();
  task_deque(const task_deque&) = delete;
  task_deque& operator=(const task_deque&) = delete;

  /// Owner. False: a bounded queue is full.
  bool push_bottom(work_item* item) {
    if (m_default.push_quickly(item)) [[likely]]
      return true;
    return push_slowly(item);
  }
  /// Owner. The part of a pop that needs no call. False: pop_slowly() does the rest.
  bool pop_quickly(work_item*& into) { return m_default.pop_quickly(into); }
  /// Owner. Null: nothing is left. Calls notify() where thieves may find something now that they had asked for.
  template <class Notify>
  work_item* pop_slowly(Notify&& notify) {
    if (m_other == nullptr) return m_default.pop_slowly().value_or(nullptr);
    return pop_and_notify(*m_other, notify);
  }
  /// Owner. The oldest task; null where there is none, or another kind would rather be asked first.
  work_item* pop_oldest();

  // Any thread.

  queue::batch_result pop_top_batch(std::span<work_item*> out) {
    return m_other == nullptr ? m_default.pop_top_batch(out) : m_other->pop_top_batch(out);
  }
  [[nodiscard]] std::size_t size() const { return m_other == nullptr ? m_default.size() : m_other->size(); }
  [[nodiscard]] bool stealable() const { return m_other == nullptr ? m_default.stealable() : m_other->stealable(); }

 private:
  using default_deque = queue::split<work_item*>;

  bool push_slowly(work_item* item);

  other_deque* const m_other;
  default_deque m_default;
};

}  // namespace ramie::detail
