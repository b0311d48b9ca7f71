// A worker's own work: the LIFO deque of tasks and the stealable FIFO lane of woken and yielded fibers.
#pragma once

#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/split.hpp>
#include <ramie/scheduler/batches.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <memory>
#include <span>
#include <utility>

namespace ramie::detail {

using other_deque = queue::any_queue<work_item*>;

/// The deque, of the kind that was chosen. The default is held by value, and costs not one instruction for the choice:
/// where another kind was chosen, the default is an unused one, whose fast paths are false.
class task_deque {
 public:
  static constexpr queue::kind by_value = queue::kind::split;

  /// `other` null: the kind that is held by value, with room for `capacity` at first.
  task_deque(std::unique_ptr<other_deque> other, std::size_t capacity);

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

  std::unique_ptr<other_deque> m_other;
  default_deque m_default;
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
