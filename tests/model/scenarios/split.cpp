// The deque whose thieves can move the boundary: giving, taking back and revoking against each other. In a model a
// thief has no patience: it revokes when it looks for the second time.
#include <model/scenarios/work_queue_play.hpp>

#include <ramie/queue/split.hpp>

namespace ramie::model {
namespace {

using deque = play<queue::split<item*, provider>>;

}  // namespace

subject split_subject() {
  subject all{"queue/split.hpp", common<deque>()};
  const limits walks{.how = search::walks, .walks = 8'000};
  // Too many executions to have them all within seconds; the smaller ones have the same encounters.
  for (scenario& each : all.scenarios) {
    if (each.name == "cells used again beside two thieves" || each.name == "two items, the owner and two thieves" ||
        each.name == "push, pop, push beside two thieves" || each.name == "pushes and pops beside a thief" ||
        each.name == "a batch beside the owner and a thief" ||
        each.name == "pushes and pops beside two thieves that steal twice") {
      each.within = walks;
    }
  }
  const auto add = [&all](const char* name, void (*body)(), const limits& within = {}) {
    all.scenarios.push_back({name, body, within});
  };
  for (scenario& each : before_sleep<queue::split<item*, provider>>()) all.scenarios.push_back(std::move(each));
  add("a thief revokes while the owner pops all", [] {
    deque of(4);
    of.push();
    of.push();
    threads(
        [&] {
          of.pop();
          of.pop();
        },
        [&] { of.steal_stubbornly(2); });
    of.finish();
  });
  add(
      "a thief revokes while the owner pops, pushes and pops",
      [] {
        deque of(4);
        of.push();
        threads(
            [&] {
              of.pop();
              of.push();
              of.pop();
            },
            [&] { of.steal_stubbornly(2); });
        of.finish();
      },
      walks);
  add("a thief takes the rest of what is taken back, and revokes", [] {
    deque of(4);
    of.push();
    of.push();
    of.steal();  // asks
    of.push();   // gives two
    of.pop();
    threads([&] { of.pop(); },
            [&] {
              of.steal();
              of.steal();
              of.steal();
            });
    of.finish();
  });
  add("a thief revokes what was pushed before the last pop", [] {
    deque of(4);
    threads(
        [&] {
          of.push();
          of.push();
          of.pop();
        },
        [&] { of.steal_stubbornly(2); });
    of.finish();
  });
  add("a thief revokes for an owner who does nothing", [] {
    deque of(4);
    of.push();
    of.push();
    of.push();
    of.steal_stubbornly(3);
    require(of.queue().size() == 2, "a thief has starved");
    of.finish();
  });
  add(
      "two thieves revoke",
      [] {
        deque of(4);
        of.push();
        of.push();
        threads([&] { of.pop(); }, [&] { of.steal_stubbornly(2); }, [&] { of.steal_stubbornly(2); });
        of.finish();
      },
      walks);
  add(
      "two thieves revoke one after the other, the owner answers in between",
      [] {
        deque of(4);
        of.push();
        of.steal();  // asks
        threads(
            [&] {
              of.pop();
              of.push();
              of.pop();
            },
            [&] { of.steal(); }, [&] { of.steal(); });
        of.finish();
      },
      walks);
  add("asked beforehand, the owner gives and takes back", [] {
    deque of(4);
    of.push();
    of.push();
    of.steal();  // asks
    threads(
        [&] {
          of.push();
          of.pop();
          of.pop();
          of.pop();
        },
        [&] { of.steal(); });
    of.finish();
  });
  add("given, taken back, given again beside a thief with old news", [] {
    deque of(4);
    of.push();
    of.steal();
    of.push();  // gives the first
    threads(
        [&] {
          of.pop();
          of.pop();
          of.push();
          of.push();
        },
        [&] {
          of.steal();
          of.steal();
        });
    of.finish();
  });
  add(
      "growth beside a thief that revokes",
      [] {
        deque of(2);
        of.push();
        threads(
            [&] {
              of.push();
              of.push();
              of.pop();
            },
            [&] { of.steal_stubbornly(2); });
        of.finish();
      },
      walks);
  return all;
}

}  // namespace ramie::model
