// The queues of a worker: an owner at the bottom, thieves at the top. No item is lost, none is taken twice, and a
// taker sees everything written to the item before the push.
#include <model/scenarios/work_queue_play.hpp>

#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/locked.hpp>

namespace ramie::model {

namespace {

std::vector<scenario> growth() {
  using deque = play<queue::chase_lev<item*, provider>>;
  return {
      {"growth beside two thieves",
       [] {
         deque of(2);
         of.push();
         threads(
             [&] {
               of.push();
               of.push();
               of.pop();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {"growth while a thief looks at the outgrown array",
       [] {
         deque of(2);
         of.push();
         of.push();
         threads(
             [&] {
               of.push();
               of.push();
               of.pop();
             },
             [&] {
               of.steal();
               of.steal();
             });
         of.finish();
       }},
  };
}

}  // namespace

subject chase_lev_subject() {
  using deque = play<queue::chase_lev<item*, provider>>;
  subject all{"queue/chase_lev.hpp", common<deque>()};
  for (scenario& each : growth()) all.scenarios.push_back(std::move(each));
  return all;
}

subject growing_array_subject() { return {"queue/growing_array.hpp", growth()}; }

subject fifo_lane_subject() {
  // Room for four: its cells are used again soon.
  class lane : public queue::fifo_lane<item*, 4, provider> {
   public:
    explicit lane(std::size_t /*capacity*/) {}
  };
  return {"queue/fifo_lane.hpp", common<play<lane>>()};
}

subject locked_subject() { return {"queue/locked.hpp", common<play<queue::locked<item*, provider>>>()}; }

}  // namespace ramie::model
