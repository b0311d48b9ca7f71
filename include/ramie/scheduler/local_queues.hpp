// A worker's own work: the LIFO deque of tasks and the stealable FIFO lane of woken and yielded fibers.
#pragma once

#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/split.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <memory>
#include <span>
#include <utility>

namespace ramie::detail {

using other_deque = queue::any_queue<work_item*>;

/// The deque, of the kind that was chosen. The default is held by value: choosing costs it one predicted test.
class task_deque {
 public:
  static constexpr queue::kind by_value = queue::kind::split;

  /// Null: the kind that is held by value.
  explicit task_deque(std::unique_ptr<other_deque> other) : m_other(std::move(other)) {}

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
  /// The oldest task, for the owner.
  work_item* pop_oldest() {
    if (m_other == nullptr) [[likely]]
      return m_default.pop_oldest().value_or(nullptr);
    const auto oldest = m_other->pop_top();
    return oldest.status == queue::steal_status::item ? oldest.item : nullptr;
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
  [[nodiscard]] bool stealable() const { return m_other == nullptr ? m_default.stealable() : m_other->stealable(); }

 private:
  static constexpr std::size_t initial_capacity = 1024;  // the source's
  std::unique_ptr<other_deque> m_other;
  queue::split<work_item*> m_default{initial_capacity};
};

using fiber_lane = queue::fifo_lane<work_item*>;

/// Makes what the workers of one runtime hold besides the default: queues of one kind, which may share something.
class deque_maker {
 public:
  /// Throws bad_option if the settings make no queue of this kind.
  deque_maker(queue::kind which, const queue::settings& chosen);
  ~deque_maker();
  deque_maker(const deque_maker&) = delete;
  deque_maker& operator=(const deque_maker&) = delete;

  /// Null: the kind that is held by value. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<other_deque> make();

 private:
  struct others;
  std::unique_ptr<others> m_others;
};

}  // namespace ramie::detail
