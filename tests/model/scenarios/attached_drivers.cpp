// A driver is attached to one thread at a time, also where its worker changes threads while others take its
// completions, and where it cannot be attached at first.
#include <model/scenarios/pair_of_jobs.hpp>
#include <model/scenarios/ring_worker.hpp>

#include <ramie/scheduler/park_word.hpp>

#include <support/repetitions.hpp>

namespace ramie::model {
namespace {

// A worker that goes round and round has missed something.
const limits few_steps{.steps = 300};
const limits large{.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};

// Worker 0 leaves its thread for one that waits.
struct hand_over {
  explicit hand_over(rings& at) : of(at) {}
  void give() {
    of[0].hold();
    if (of.has(without::hand_over_last)) word.unpark();
    of[0].leave();
    if (!of.has(without::hand_over_last)) word.unpark();
  }
  void take() {
    word.park();
    of[0].come();
  }
  rings& of;
  detail::park_word<provider> word;
};

// Another worker's last look before a long task.
struct last_look {
  void of(rings& at) {
    at[1].hold();
    if (!at[0].side.has_completions()) return;
    saw = true;
    at[1].reap(at[0]);
    at[1].run_what_is_ready();
  }
  plain<bool> saw = false;
};

}  // namespace

std::vector<driver_scenario> attached_drivers() {
  return {{"a worker that changes threads beside one that takes its completion",
           [](without fault) {
             rings at(2, fault);
             job done;
             at.complete(0, done);
             hand_over leaves(at);
             last_look other;
             threads([&] { leaves.give(); },
                     [&] {
                       leaves.take();
                       if (job* const ready = at[0].next_local()) at[0].execute(*ready);  // then a long task
                     },
                     [&] { other.of(at); });
             require(done.ran == 1, "a completion was lost");
           }},
          {"a completion that another sees while its worker comes to a thread",
           [](without fault) {
             rings at(2, fault);
             job done;
             at[0].hold();
             at[0].leave();
             last_look other;
             threads([&] { at.complete(0, done); },
                     [&] {
                       at[0].come();
                       if (job* const ready = at[0].next_local()) at[0].execute(*ready);  // then a long task
                     },
                     [&] { other.of(at); });
             require(!other.saw || done.ran == 1, "a completion was left to a thread that has not looked for it");
           }},
          {"a completion while its worker goes to a thread that falls asleep",
           [](without fault) {
             rings at(1, fault);
             job done;
             hand_over leaves(at);
             threads([&] { at.complete(0, done); }, [&] { leaves.give(); },
                     [&] {
                       leaves.take();
                       at[0].run(1);
                     });
           }},
          {"a completion of a worker whose driver is attached at the second attempt, and that falls asleep",
           [](without fault) {
             rings at(1, fault);
             job done;
             at[0].hold();
             at[0].leave();
             at[0].driver->refuses = 1;
             threads([&] { at.complete(0, done); },
                     [&] {
                       at[0].come();
                       at[0].run(1);
                     });
           },
           few_steps},
          {"a completion of a worker whose driver is attached at the third attempt, and that falls asleep",
           [](without fault) {
             rings at(1, fault);
             job done;
             at[0].hold();
             at[0].leave();
             at[0].driver->refuses = 2;
             threads([&] { at.complete(0, done); },
                     [&] {
                       at[0].come();
                       at[0].run(1);
                     });
           },
           few_steps},
          {"a push beside a worker whose driver is attached at the third attempt",
           [](without fault) {
             rings at(1, fault);
             job pushed;
             at[0].hold();
             at[0].leave();
             at[0].driver->refuses = 2;
             threads([&] { at.push(pushed); },
                     [&] {
                       at[0].come();
                       at[0].run(1);
                     });
           },
           few_steps},
          {"a completion that another sees while a busy worker cannot attach its driver at first",
           [](without fault) {
             rings at(2, fault);
             job done;
             at[0].hold();
             at[0].leave();
             at[0].driver->refuses = 1;
             last_look other;
             threads([&] { at.complete(0, done); },
                     [&] {
                       at[0].come();
                       if (job* const ready = at[0].next_local()) at[0].execute(*ready);
                       provider::pass(std::chrono::milliseconds(1));
                       at[0].poll_while_busy();
                     },
                     [&] { other.of(at); });
             require(!other.saw || done.ran == 1, "a completion was left to a thread that has not looked for it");
           }},
          // Worker 0 may be the timekeeper, in its driver or on the futex.
          {"a deadline of a busy worker beside one whose driver is attached at the second attempt",
           [](without fault) {
             rings at(2, fault);
             timed_job fiber(5'000);
             at.has_timers = true;
             at[0].hold();
             at[0].leave();
             at[0].driver->refuses = 1;
             threads(
                 [&] {
                   at[1].hold();
                   at[1].begin_wait(fiber);
                   at[1].runs_on();
                 },
                 [&] {
                   at[0].come();
                   at[0].run(1);
                 });
           },
           large},
          {"a worker without its driver beside another, both fall asleep",
           [](without fault) {
             rings at(2, fault);
             pair_of_jobs<job> jobs;
             at[0].hold();
             at[0].leave();
             at[0].driver->refuses = 2;
             threads([&] { at.complete(0, jobs.first); }, [&] { at.complete(1, jobs.second); },
                     [&] {
                       at[0].come();
                       at[0].run(1);
                     },
                     [&] { at[1].run(1); });
           },
           large}};
}

}  // namespace ramie::model
