// A queue whose kind is chosen at run time, behind one virtual call an operation. The default kind does not go this
// way: the scheduler holds a chase_lev by value and asks for one of these only when another kind was selected.
#pragma once

#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/locked.hpp>
#include <ramie/queue/work_queue.hpp>

#include <memory>

namespace ramie::queue {

/// The kinds that --queue and options.queue name.
enum class kind {
  chase_lev,  ///< the default: unbounded LIFO deque, no lock
  locked,     ///< a deque under a lock, the baseline
};

template <queue_item Item>
class any_queue {
 public:
  using value_type = Item;
  virtual ~any_queue() = default;
  virtual bool push_bottom(Item item) = 0;
  virtual std::optional<Item> pop_bottom() = 0;
  virtual steal_result<Item> pop_top() = 0;
  virtual batch_result pop_top_batch(std::span<Item> out) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
};

template <work_queue Queue>
class queue_adaptor final : public any_queue<typename Queue::value_type> {
  using item = typename Queue::value_type;

 public:
  explicit queue_adaptor(std::size_t capacity) : m_queue(capacity) {}
  bool push_bottom(item value) override { return m_queue.push_bottom(value); }
  std::optional<item> pop_bottom() override { return m_queue.pop_bottom(); }
  steal_result<item> pop_top() override { return m_queue.pop_top(); }
  batch_result pop_top_batch(std::span<item> out) override { return m_queue.pop_top_batch(out); }
  [[nodiscard]] std::size_t size() const override { return m_queue.size(); }

 private:
  Queue m_queue;
};

template <queue_item Item>
std::unique_ptr<any_queue<Item>> make_queue(kind which, std::size_t capacity) {
  switch (which) {
    case kind::chase_lev: return std::make_unique<queue_adaptor<chase_lev<Item>>>(capacity);
    case kind::locked: return std::make_unique<queue_adaptor<locked<Item>>>(capacity);
  }
  return nullptr;
}

}  // namespace ramie::queue
