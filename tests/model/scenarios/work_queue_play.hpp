// Owners and thieves of a queue in a model, and the scenarios of every queue.
#pragma once

#include <model/scenarios/scenario.hpp>

#include <ramie/queue/work_queue.hpp>
#include <ramie/scheduler/sleep_gate.hpp>

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
  bool steal() {
    const auto got = m_queue.pop_top();
    if (got.status == steal_status::item) take(got.item);
    return got.status == steal_status::item;
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

// A queue and the gate: an owner, and a thief that finds nothing and goes to sleep.
template <class Queue>
struct play_before_sleep {
  explicit play_before_sleep(std::size_t capacity) : play_of_queue(capacity) {}

  play<Queue> play_of_queue;
  detail::sleep_gate<provider> gate{1};
  plain<bool> sleeps = false;
  atomic<bool> woken{false};

  void notify() {
    gate.notify([this](unsigned) { woken.store(true, std::memory_order_relaxed); });
  }
  void push() {
    play_of_queue.push();
    notify();
  }
  void pop() {
    play_of_queue.pop();
    if constexpr (requires(Queue& of) { of.gave(); }) {
      if (play_of_queue.queue().gave()) notify();
    }
  }
  void steal_or_sleep() {
    if (play_of_queue.steal()) return;
    gate.announce_sleep(0, false);
    sleeps = !play_of_queue.queue().stealable();
  }
  void finish() {
    require(!sleeps || woken.load(std::memory_order_relaxed) || !play_of_queue.queue().stealable(),
            "somebody sleeps over what may be stolen");
    for (int i = 0; i < 2; ++i) pop();  // what the owner may keep
    play_of_queue.finish();
  }
};

template <class Queue>
std::vector<scenario> before_sleep() {
  using play = play_before_sleep<Queue>;
  return {
      {"a push beside a thief that falls asleep",
       [] {
         play of(2);
         threads([&] { of.push(); }, [&] { of.steal_or_sleep(); });
         of.finish();
       }},
      {"pops beside a thief that falls asleep",
       [] {
         play of(2);
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.pop();
             },
             [&] { of.steal_or_sleep(); });
         of.finish();
       }},
      {"a pop of an owner who has been asked, beside a thief that falls asleep",
       [] {
         play of(2);
         of.push();
         of.push();
         of.play_of_queue.steal();  // asks, or takes one
         threads([&] { of.pop(); }, [&] { of.steal_or_sleep(); });
         of.finish();
       }},
  };
}

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

// The scenarios of every such queue; `Make` is a play with room for two items at first.
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
