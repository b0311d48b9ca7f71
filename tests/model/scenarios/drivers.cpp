#include <model/scenarios/drivers.hpp>
#include <model/scenarios/pair_of_jobs.hpp>
#include <model/scenarios/ring_worker.hpp>

#include <ramie/scheduler/park_word.hpp>

#include <support/repetitions.hpp>

#include "scheduler/reap_turn.hpp"

namespace ramie::model {

using enum std::memory_order;

namespace {

// ---- The turn ----

// Words that the kernel writes, and the holder of the turn reads. The kernel's writes are relaxed here: that a holder
// sees them comes from the turn alone.
struct queue_of_completions {
  atomic<int> first{0}, second{0};
  plain<int> taken = 0;  // by those who have the turn
  detail::reap_turn<provider> turn;

  // The kernel's part, then the worker's.
  void complete(atomic<int>& word) {
    word.store(1, relaxed);
    static_cast<void>(reap());
  }

  bool reap() {
    return turn.take([this] {
      const int both = first.load(relaxed) + second.load(relaxed);
      if (taken < both) taken = both;
    });
  }
};

const limits large{.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};

}  // namespace

subject reap_turn_subject() {
  return {"scheduler/reap_turn.hpp",
          {{"a completion beside one who looks",
            [] {
              queue_of_completions of;
              threads([&] { of.reap(); }, [&] { of.complete(of.first); });
              require(of.taken == 1, "a completion was left, and nobody looks again");
            }},
           {"two completions, and two who look",
            [] {
              queue_of_completions of;
              threads([&] { of.complete(of.first); }, [&] { of.complete(of.second); });
              require(of.taken == 2, "a completion was left, and nobody looks again");
            }},
           {"two completions, and three who look",
            [] {
              queue_of_completions of;
              threads([&] { of.complete(of.first); }, [&] { of.complete(of.second); }, [&] { of.reap(); });
              require(of.taken == 2, "a completion was left, and nobody looks again");
            },
            {.how = search::bounded, .executions = 200'000}},
           {"a worker that changes threads, and asks first whether there is anything, beside one who looks",
            [] {
              queue_of_completions of;
              bool came_in_vain = false;
              threads([&] { of.first.store(1, relaxed); },
                      [&] {
                        of.turn.exclude([&] { of.taken = of.taken + 0; });
                        if (of.first.load(relaxed) == 1) of.reap();
                      },
                      [&] {
                        if (of.first.load(relaxed) == 0) return;
                        came_in_vain = !of.reap();
                      });
              require(!came_in_vain || of.taken == 1, "a completion was left, and nobody looks again");
            }},
           {"a worker that changes threads beside one who looks", [] {
              queue_of_completions of;
              threads(
                  [&] {
                    of.turn.exclude([&] { of.taken = of.taken + 0; });
                    of.reap();
                  },
                  [&] {
                    of.first.store(1, relaxed);
                    of.reap();
                  });
              require(of.taken == 1, "a completion was left, and nobody looks again");
            }}}};
}

std::vector<driver_scenario> sleeping_drivers() {
  return {{"a completion of a busy worker beside one that falls asleep",
           [](without fault) {
             rings at(2, fault);
             job done;
             threads([&] { at.complete(0, done); }, [&] { at[1].run(1); });
             require(done.ran == 1, "a completion was lost");
           }},
          {"a completion of a worker that falls asleep",
           [](without fault) {
             rings at(1, fault);
             job done;
             threads([&] { at.complete(0, done); }, [&] { at[0].run(1); });
             require(done.ran == 1, "a completion was lost");
           }},
          // The task is what the timekeeper wakes for, and it needs what completes on the ring of a busy worker:
          // meanwhile, or because the task has begun.
          {"a completion while the timekeeper is in a long task",
           [](without fault) {
             rings at(3, fault);
             pair_of_jobs<job> jobs;
             detail::park_word<provider> begun;
             jobs.first.body = [&, needs_second = jobs.first.body] {
               begun.unpark();
               needs_second();
             };
             threads([&] { at.push(jobs.first); },
                     [&] {
                       if (choose(2) == 1) begun.park();
                       at.complete(0, jobs.second);
                     },
                     [&] { at[1].run(1); }, [&] { at[2].run(1); });
           },
           large},
          {"two completions at once of a worker that falls asleep, which need each other",
           [](without fault) {
             rings at(2, fault);
             pair_of_jobs<job> jobs;
             threads([&] { at.complete(0, jobs.first, &jobs.second); }, [&] { at[0].run(1); }, [&] { at[1].run(1); });
           },
           large},
          // Its nap ends when the job has run.
          {"a push beside a worker that naps and one that falls asleep",
           [](without fault) {
             rings at(2, fault);
             job pushed, done;
             pushed.body = [&] { at.complete(0, done); };
             done.body = [&] { at.end_run(); };
             threads([&] { at.push(pushed); }, [&] { at[0].run(3, true); }, [&] { at[1].run(3); });
             require(pushed.ran == 1 && done.ran == 1, "a job was lost");
           },
           large}};
}

const std::vector<driver_scenario>& driver_scenarios() {
  static const std::vector<driver_scenario> all = [] {
    std::vector<driver_scenario> every;
    for (auto& some : {sleeping_drivers(), busy_looks(), attached_drivers(), sleeping_until()})
      every.insert(every.end(), some.begin(), some.end());
    return every;
  }();
  return all;
}

}  // namespace ramie::model
