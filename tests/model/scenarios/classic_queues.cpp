// The queues of the literature beside chase_lev: abp, exchange, global.
#include <model/scenarios/work_queue_play.hpp>

#include <ramie/queue/abp.hpp>
#include <ramie/queue/exchange.hpp>
#include <ramie/queue/global.hpp>

namespace ramie::model {
namespace {

// A bounded queue with room for all that the common scenarios push.
template <class Queue, std::size_t Room>
class roomy : public Queue {
 public:
  explicit roomy(std::size_t /*capacity*/) : Queue(Room) {}
};

// A queue that is as small as it says: a refused item goes nowhere.
template <class Queue>
class full_play {
 public:
  explicit full_play(std::size_t capacity) : m_queue(capacity) {}

  bool push() {
    item& fresh = m_items[m_pushed++];
    fresh.content = 1;
    if (m_queue.push_bottom(&fresh)) return true;
    fresh.taken = true;
    return false;
  }
  bool pop() {
    const auto got = m_queue.pop_bottom();
    if (got) take(*got);
    return got.has_value();
  }
  void steal() {
    const auto got = m_queue.pop_top();
    if (got.status == steal_status::item) take(got.item);
  }
  void steal_batch() {
    std::array<item*, 2> got{};
    const auto taken = m_queue.pop_top_batch(got);
    for (std::size_t i = 0; i < taken.count; ++i) take(got[i]);
  }
  void finish() {
    while (pop()) {
    }
    require(m_queue.size() == 0, "an empty queue says that it is not");
    require(push() && pop(), "an empty queue has no room");
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
  std::array<item, 8> m_items{};
  std::size_t m_pushed = 0;
};

// The scenarios of a queue with room for two; `Play` is a full_play.
template <class Play>
std::vector<scenario> small_ones() {
  return {
      {"a full queue beside a thief",
       [] {
         Play of(2);
         require(of.push() && of.push() && !of.push(), "room for two");
         threads([&] { of.push(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"round and round beside a thief",
       [] {
         Play of(2);
         of.push();
         threads(
             [&] {
               of.push();
               of.push();
               of.pop();
               of.push();
               of.push();
             },
             [&] {
               of.steal();
               of.steal();
             });
         of.finish();
       }},
      {"a full queue beside two thieves, emptied and filled again",
       [] {
         Play of(2);
         of.push();
         of.push();
         threads(
             [&] {
               of.push();
               of.pop();
               of.push();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"one cell, used again beside two thieves",
       [] {
         Play of(1);
         of.push();
         threads(
             [&] {
               of.push();
               of.pop();
               of.push();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"a batch of a full queue beside pushes and a pop",
       [] {
         Play of(4);
         of.push();
         of.push();
         of.push();
         of.push();
         threads(
             [&] {
               of.push();
               of.pop();
               of.push();
             },
             [&] { of.steal_batch(); });
         of.finish();
       }},
  };
}

template <class Full>
void add_small_ones(subject& to) {
  for (scenario& each : small_ones<Full>()) to.scenarios.push_back(std::move(each));
}

}  // namespace

subject abp_subject() {
  using deque = queue::abp<item*, provider>;
  subject all{"queue/abp.hpp", common<play<roomy<deque, 8>>>()};
  add_small_ones<full_play<deque>>(all);
  all.scenarios.push_back({"empty, reset and filled again beside two thieves", [] {
                             full_play<deque> of(2);
                             of.push();
                             threads(
                                 [&] {
                                   of.pop();
                                   of.push();
                                   of.push();
                                   of.pop();
                                 },
                                 [&] { of.steal(); }, [&] { of.steal(); });
                             of.finish();
                           }});
  return all;
}

subject exchange_subject() {
  using ring = queue::exchange<item*, provider>;
  subject all{"queue/exchange.hpp", common<play<roomy<ring, 4>>>()};
  add_small_ones<full_play<ring>>(all);
  return all;
}

subject global_subject() {
  using shared = queue::global<item*, provider>;
  subject all{"queue/global.hpp", common<play<shared>>()};
  all.scenarios.push_back({"two who push, with priorities, two who take", [] {
                             shared of;
                             std::array<item, 2> items{};
                             const auto take = [&](item* got) {
                               require(got->content == 1, "an item was taken before what it points to was seen");
                               require(!got->taken, "an item was taken twice");
                               got->taken = true;
                             };
                             const auto push = [&](item& fresh, queue::priority urgency) {
                               fresh.content = 1;
                               of.push(&fresh, urgency);
                               if (const auto got = of.pop_bottom()) take(*got);
                             };
                             threads([&] { push(items[0], queue::priority::low); },
                                     [&] { push(items[1], queue::priority::high); },
                                     [&] {
                                       const auto got = of.pop_top();
                                       require(got.status != steal_status::lost_race, "nobody loses a race here");
                                       if (got.status == steal_status::item) take(got.item);
                                     });
                             while (const auto left = of.pop_bottom()) take(*left);
                             for (const item& each : items) require(each.taken, "an item was lost");
                           }});
  return all;
}

}  // namespace ramie::model
