// What owners and thieves do with a queue in a model, and what every queue must withstand.
#pragma once

#include <model/scenarios/scenario.hpp>

#include <ramie/queue/work_queue.hpp>

#include <array>
#include <utility>

namespace ramie::model {

using queue::steal_status;

// Of its own namespace: small_scheduler.hpp has another item.
namespace of_queues {
struct item {
  plain<int> content = 0;
  plain<bool> taken = false;  // two takers race on it, or see each other
};
}  // namespace of_queues
using of_queues::item;

template <class Queue>
class play {
 public:
  explicit play(std::size_t capacity) : m_queue(capacity) {}

  Queue& queue() { return m_queue; }

  // Owner.
  void push() {
    item& fresh = m_items[m_pushed++];
    fresh.content = 1;
    require(m_queue.push_bottom(&fresh), "push_bottom refused an item");
  }
  void pop() {
    if (const auto got = m_queue.pop_bottom()) take(*got);
  }

  // Thieves.
  void steal() {
    const auto got = m_queue.pop_top();
    if (got.status == steal_status::item) take(got.item);
  }
  void steal_batch() {
    std::array<item*, 2> got{};
    const auto taken = m_queue.pop_top_batch(got);
    require((taken.status == steal_status::item) == (taken.count > 0), "a batch without items");
    for (std::size_t i = 0; i < taken.count; ++i) take(got[i]);
  }

  // A thief that does not give up when it is told to try again.
  void steal_stubbornly(int looks) {
    for (; looks > 0; --looks) {
      const auto got = m_queue.pop_top();
      if (got.status == steal_status::item) take(got.item);
      if (got.status != steal_status::lost_race) return;
    }
  }

  // When all threads have ended: what is left is taken from the top, and nothing may be missing.
  void finish() {
    for (int refusals = 0; refusals < 3;) {  // some must ask an owner first who answers no more
      const auto got = m_queue.pop_top();
      if (got.status == steal_status::empty) break;
      if (got.status == steal_status::item) take(got.item);
      refusals = got.status == steal_status::item ? 0 : refusals + 1;
    }
    require(m_queue.size() == 0, "an empty queue says that it is not");
    for (std::size_t i = 0; i < m_pushed; ++i) require(m_items[i].taken, "an item was lost");
  }

 private:
  void take(item* got) {
    require(got != nullptr, "a cell was taken that nothing was put into");
    require(got->content == 1, "an item was taken before what it points to was seen");
    require(!got->taken, "an item was taken twice");
    got->taken = true;
  }

  Queue m_queue;
  std::array<item, 5> m_items{};
  std::size_t m_pushed = 0;
};

// Somebody who looks at the size while things change, and somebody who must not find it zero.
template <class Play>
std::vector<scenario> sizes() {
  return {
      {"a size is never more than was pushed",
       [] {
         Play of(4);
         of.push();
         threads(
             [&] {
               of.push();
               of.pop();
             },
             [&] { of.steal(); }, [&] { require(of.queue().size() <= 2, "size() is wrong"); });
         of.finish();
       }},
      {"a size is not zero while an item is there whose push happened before",
       [] {
         Play of(4);
         atomic<bool> pushed{false};
         threads(
             [&] {
               of.push();
               of.push();
               of.push();
               pushed.store(true, std::memory_order_release);
             },
             [&] { of.steal(); },
             [&] {
               if (!pushed.load(std::memory_order_acquire)) return;
               require(of.queue().size() >= 2, "size() has missed a push");
             });
         of.finish();
       }},
  };
}

// What every such queue must withstand; `Make` is a play with room for two items at first.
template <class Play>
std::vector<scenario> common() {
  std::vector<scenario> all = {
      {"the last item, one thief",
       [] {
         Play of(2);
         of.push();
         threads([&] { of.pop(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"the last item, two thieves",
       [] {
         Play of(2);
         of.push();
         threads([&] { of.pop(); }, [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"pushes beside a thief",
       [] {
         Play of(2);
         threads(
             [&] {
               of.push();
               of.push();
             },
             [&] {
               of.steal();
               of.steal();
             });
         of.finish();
       }},
      {"pushes and pops beside a thief",
       [] {
         Play of(2);
         of.push();
         threads(
             [&] {
               of.push();
               of.pop();
               of.pop();
             },
             [&] {
               of.steal();
               of.steal();
             });
         of.finish();
       }},
      {"push, pop, push beside two thieves",
       [] {
         Play of(2);
         threads(
             [&] {
               of.push();
               of.pop();
               of.push();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"two items, the owner and two thieves",
       [] {
         Play of(2);
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.pop();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"cells used again beside two thieves",
       [] {
         Play of(2);
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.push();
               of.push();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"pushes and pops beside two thieves that steal twice",
       [] {
         Play of(2);
         of.push();
         threads(
             [&] {
               of.push();
               of.pop();
               of.push();
               of.pop();
             },
             [&] {
               of.steal();
               of.steal();
             },
             [&] {
               of.steal();
               of.steal();
             });
         of.finish();
       }},
      {"a batch beside the owner and a thief",
       [] {
         Play of(4);
         of.push();
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.push();
             },
             [&] { of.steal_batch(); }, [&] { of.steal(); });
         of.finish();
       }},
  };
  for (scenario& each : sizes<Play>()) all.push_back(std::move(each));
  return all;
}

}  // namespace ramie::model
