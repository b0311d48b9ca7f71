// A queue whose kind was chosen at run time, behind one virtual call an operation: family.hpp makes them. The default
// kind does not go this way: the scheduler holds it by value and asks for one of these only when another was selected.
#pragma once

#include <ramie/queue/work_queue.hpp>

#include <utility>

namespace ramie::queue {

/// The operations of work_queue; who may call them is said there.
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
  [[nodiscard]] virtual bool stealable() const = 0;

  /// Owner, after a pop_bottom(): whether that has given thieves something to steal, which they had asked for. A kind
  /// whose pops do that lets thieves sleep meanwhile, so they must be notified as after a push. True once.
  [[nodiscard]] bool gave() { return std::exchange(m_gave, false); }

 protected:
  bool m_gave = false;
};

}  // namespace ramie::queue
