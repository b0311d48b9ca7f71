// Makes queues of a kind that is known only at run time: the one place that knows them all.
#pragma once

#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/locked.hpp>

#include <memory>
#include <utility>

namespace ramie::queue {

template <work_queue Queue>
class queue_adaptor final : public any_queue<typename Queue::value_type> {
  using item = typename Queue::value_type;

 public:
  template <class... Arguments>
  explicit queue_adaptor(Arguments&&... arguments) : m_queue(std::forward<Arguments>(arguments)...) {}
  bool push_bottom(item value) override { return m_queue.push_bottom(value); }
  std::optional<item> pop_bottom() override { return m_queue.pop_bottom(); }
  steal_result<item> pop_top() override { return m_queue.pop_top(); }
  batch_result pop_top_batch(std::span<item> out) override { return m_queue.pop_top_batch(out); }
  [[nodiscard]] std::size_t size() const override { return m_queue.size(); }
  [[nodiscard]] bool stealable() const override { return m_queue.stealable(); }

 private:
  Queue m_queue;
};

/// The queues of one runtime: one kind, the same settings.
template <queue_item Item, class Provider = native_provider>
class family {
 public:
  /// Throws std::invalid_argument if the settings make no queue of this kind.
  explicit family(kind which, const settings& chosen = {}) : m_kind(which), m_settings(chosen) {}

  /// One worker's queue. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<any_queue<Item>> make() {
    switch (m_kind) {
      case kind::locked: return make_one<locked<Item, Provider>>(m_settings.capacity);
      case kind::chase_lev: return make_one<chase_lev<Item, Provider>>(m_settings.capacity);
      default: return nullptr;
    }
  }

 private:
  template <class Queue, class... Arguments>
  static std::unique_ptr<any_queue<Item>> make_one(Arguments&&... arguments) {
    return std::make_unique<queue_adaptor<Queue>>(std::forward<Arguments>(arguments)...);
  }

  kind m_kind;
  settings m_settings;
};

}  // namespace ramie::queue
