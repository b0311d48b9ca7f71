// Makes queues of a kind that is known only at run time: the one place that knows them all.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/queue/abp.hpp>
#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/bwos_fifo.hpp>
#include <ramie/queue/bwos_lifo.hpp>
#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/exchange.hpp>
#include <ramie/queue/global.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/locked.hpp>
#include <ramie/queue/split.hpp>

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ramie::queue {

/// `Held` is the queue, or a pointer to one that others hold too.
template <work_queue Queue, class Held = Queue>
class queue_adaptor final : public any_queue<typename Queue::value_type> {
  using item = typename Queue::value_type;

 public:
  template <class... Arguments>
  explicit queue_adaptor(Arguments&&... arguments) : m_held(std::forward<Arguments>(arguments)...) {}
  bool push_bottom(item value) override { return queue().push_bottom(value); }
  std::optional<item> pop_bottom() override {
    const std::optional<item> popped = queue().pop_bottom();
    if constexpr (requires(Queue& of) { of.gave(); }) {
      if (queue().gave()) [[unlikely]]
        this->m_gave = true;
    }
    return popped;
  }
  steal_result<item> pop_top() override { return queue().pop_top(); }
  batch_result pop_top_batch(std::span<item> out) override { return queue().pop_top_batch(out); }
  [[nodiscard]] std::size_t size() const override { return queue().size(); }
  [[nodiscard]] bool stealable() const override { return queue().stealable(); }

 private:
  template <class Self>
  static auto& queue_of(Self& self) {
    if constexpr (std::is_same_v<Held, Queue>) {
      return self.m_held;
    } else {
      return *self.m_held;
    }
  }
  Queue& queue() { return queue_of(*this); }
  [[nodiscard]] const Queue& queue() const { return queue_of(*this); }

  Held m_held;
};

/// The most that settings.capacity may ask of a kind.
[[nodiscard]] constexpr std::size_t max_capacity(kind which) {
  switch (which) {
    case kind::abp: return abp<void*>::max_capacity;
    case kind::exchange: return exchange<void*>::max_capacity;
    case kind::chase_lev:
    case kind::split: return std::size_t{1} << 31;
    default: return std::numeric_limits<std::size_t>::max();  // they take no notice of it
  }
}

/// Throws bad_option, a std::invalid_argument, if the settings make no queue of this kind.
inline void check_settings(kind which, const settings& chosen) {
  const auto refuse = [which](const char* what, std::size_t value, const std::string& range) {
    throw bad_option(std::string(name_of(which)) + ": " + what + " is " + std::to_string(value) + "; give " + range +
                     ".");
  };
  if (chosen.capacity == 0) refuse("capacity", 0, "at least 1");
  if (chosen.capacity > max_capacity(which)) {
    refuse("capacity", chosen.capacity, "at most " + std::to_string(max_capacity(which)));
  }
  if (which != kind::bwos_lifo && which != kind::bwos_fifo) return;
  if (chosen.blocks.blocks < 2 || chosen.blocks.blocks > most_blocks) {
    refuse("the number of blocks", chosen.blocks.blocks, "2 to " + std::to_string(most_blocks));
  }
  if (chosen.blocks.entries < 1 || chosen.blocks.entries > most_block_entries) {
    refuse("the number of entries of a block", chosen.blocks.entries, "1 to " + std::to_string(most_block_entries));
  }
}

/// The queues of one runtime: one kind, the same settings.
template <queue_item Item, class Provider = native_provider>
class family {
 public:
  /// Throws bad_option, a std::invalid_argument, if the settings make no queue of this kind.
  explicit family(kind which, const settings& chosen = {}) : m_kind(which), m_settings(chosen) {
    check_settings(which, chosen);
    if (which == kind::global) m_global = std::make_shared<shared>();
  }

  /// One worker's queue; of kind `global`, a handle to the one that all share. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<any_queue<Item>> make() {
    switch (m_kind) {
      case kind::global: return std::make_unique<queue_adaptor<shared, std::shared_ptr<shared>>>(m_global);
      case kind::locked: return make_one<locked<Item, Provider>>(m_settings.capacity);
      case kind::abp: return make_one<abp<Item, Provider>>(m_settings.capacity);
      case kind::chase_lev: return make_one<chase_lev<Item, Provider>>(m_settings.capacity);
      case kind::exchange: return make_one<exchange<Item, Provider>>(m_settings.capacity);
      case kind::split: return make_one<split<Item, Provider>>(m_settings.capacity);
      case kind::bwos_lifo: return make_one<bwos_lifo<Item, Provider>>(m_settings.blocks);
      case kind::bwos_fifo: return make_one<bwos_fifo<Item, Provider>>(m_settings.blocks);
    }
    return nullptr;
  }

 private:
  using shared = global<Item, Provider>;

  template <class Queue, class... Arguments>
  static std::unique_ptr<any_queue<Item>> make_one(Arguments&&... arguments) {
    return std::make_unique<queue_adaptor<Queue>>(std::forward<Arguments>(arguments)...);
  }

  kind m_kind;
  settings m_settings;
  std::shared_ptr<shared> m_global;  // of kind `global`
};

}  // namespace ramie::queue
