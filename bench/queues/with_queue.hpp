// The one place of the suite that knows every type of queue.
#pragma once

#include <ramie/queue/abp.hpp>
#include <ramie/queue/bwos_fifo.hpp>
#include <ramie/queue/bwos_lifo.hpp>
#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/exchange.hpp>
#include <ramie/queue/global.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/locked.hpp>
#include <ramie/queue/split.hpp>

#include <memory>
#include <stdexcept>

namespace bench::queues {

/// f(queue) with a new queue of this kind. Throws std::invalid_argument if there is none.
template <class Item, class F>
auto with_queue(ramie::queue::kind which, const ramie::queue::settings& chosen, F&& f) {
  namespace queue = ramie::queue;
  const auto with = [&]<class Queue>(std::type_identity<Queue>, const auto&... arguments) {
    const auto made = std::make_unique<Queue>(arguments...);
    return f(*made);
  };
  switch (which) {
    case queue::kind::locked: return with(std::type_identity<queue::locked<Item>>{}, chosen.capacity);
    case queue::kind::chase_lev: return with(std::type_identity<queue::chase_lev<Item>>{}, chosen.capacity);
    case queue::kind::global: return with(std::type_identity<queue::global<Item>>{});
    case queue::kind::abp: return with(std::type_identity<queue::abp<Item>>{}, chosen.capacity);
    case queue::kind::bwos_lifo: return with(std::type_identity<queue::bwos_lifo<Item>>{}, chosen.blocks);
    case queue::kind::bwos_fifo: return with(std::type_identity<queue::bwos_fifo<Item>>{}, chosen.blocks);
    case queue::kind::exchange: return with(std::type_identity<queue::exchange<Item>>{}, chosen.capacity);
    case queue::kind::split: return with(std::type_identity<queue::split<Item>>{}, chosen.capacity);
  }
  throw std::invalid_argument("there is no such kind of queue");
}

}  // namespace bench::queues
