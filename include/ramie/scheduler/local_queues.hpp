// A worker's own work: the LIFO deque of tasks and the stealable FIFO lane of woken and yielded fibers.
#pragma once

#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <memory>
#include <span>

namespace ramie::detail {

/// The deque, of the kind that was chosen. The default is held by value: choosing costs it one predicted test.
class task_deque {
 public:
  explicit task_deque(queue::kind kind)
      : m_other(kind == queue::kind::chase_lev ? nullptr : queue::make_queue<work_item*>(kind, initial_capacity)) {}

  bool push_bottom(work_item* item) {
    if (m_other == nullptr) [[likely]]
      return m_default.push_bottom(item);
    return m_other->push_bottom(item);
  }
  work_item* pop_bottom() {
    if (m_other == nullptr) [[likely]]
      return m_default.pop_bottom().value_or(nullptr);
    return m_other->pop_bottom().value_or(nullptr);
  }
  /// Where there are no thieves at all.
  work_item* pop_bottom_unshared() {
    if (m_other == nullptr) [[likely]]
      return m_default.pop_bottom_unshared().value_or(nullptr);
    return m_other->pop_bottom().value_or(nullptr);
  }
  queue::steal_result<work_item*> pop_top() {
    if (m_other == nullptr) [[likely]]
      return m_default.pop_top();
    return m_other->pop_top();
  }
  queue::batch_result pop_top_batch(std::span<work_item*> out) {
    if (m_other == nullptr) [[likely]]
      return m_default.pop_top_batch(out);
    return m_other->pop_top_batch(out);
  }
  [[nodiscard]] std::size_t size() const { return m_other == nullptr ? m_default.size() : m_other->size(); }

 private:
  static constexpr std::size_t initial_capacity = 1024;  // the source's
  std::unique_ptr<queue::any_queue<work_item*>> m_other;
  queue::chase_lev<work_item*> m_default{initial_capacity};
};

using fiber_lane = queue::fifo_lane<work_item*>;

}  // namespace ramie::detail
