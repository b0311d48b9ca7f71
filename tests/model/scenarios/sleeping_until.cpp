// Deadlines where workers have no driver: they sleep on a futex, one of them until the earliest deadline of all.
#include <model/scenarios/pair_of_jobs.hpp>
#include <model/scenarios/ring_worker.hpp>

#include <support/repetitions.hpp>

#include <chrono>

namespace ramie::model {
namespace {

constexpr std::chrono::nanoseconds soon{5'000};
constexpr std::chrono::nanoseconds never = std::chrono::hours(2);

// A worker that goes round and round has missed something.
const limits few_steps{.steps = 300};
const limits large{.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};

struct deadlines : rings {
  deadlines(unsigned workers, without what) : rings(workers, what, false) { has_timers = true; }

  // A fiber of that worker begins to wait, and the worker goes on with something that takes long.
  void waits_in(unsigned worker, timed_job& fiber) {
    all[worker].hold();
    all[worker].begin_wait(fiber);
    all[worker].runs_on();
  }
};

}  // namespace

std::vector<driver_scenario> sleeping_until() {
  return {{"a worker that waits for nothing but a deadline",
           [](without fault) {
             deadlines at(1, fault);
             timed_job fiber(soon.count());
             threads([&] {
               at[0].hold();
               at[0].begin_wait(fiber);
               at[0].run(1);
             });
           },
           few_steps},
          {"a deadline of a busy worker beside one that falls asleep",
           [](without fault) {
             deadlines at(2, fault);
             timed_job fiber(soon.count());
             threads([&] { at.waits_in(0, fiber); }, [&] { at[1].run(1); });
           },
           few_steps},
          // The other heap has a deadline that is never reached.
          {"an earlier deadline beside a worker that falls asleep until a later one",
           [](without fault) {
             deadlines at(2, fault);
             timed_job later(never.count()), fiber(soon.count());
             at.waits_in(1, later);
             threads([&] { at.waits_in(0, fiber); }, [&] { at[1].run(1); });
           },
           few_steps},
          {"a deadline of a busy worker that polls alone",
           [](without fault) {
             deadlines at(1, fault);
             timed_job fiber(soon.count());
             at.waits_in(0, fiber);
             provider::pass(soon);
             at[0].poll_while_busy();
             require(fiber.fiber.ran == 1, "a deadline was missed, though its worker has polled");
           }},
          {"a deadline of a busy worker beside another one",
           [](without fault) {
             deadlines at(2, fault);
             timed_job fiber(soon.count());
             const auto polls = [&] {
               provider::pass(soon);
               at[1].hold();
               for (int i = 0; i < 2; ++i) at[1].poll_while_busy();
             };
             threads([&] { at.waits_in(0, fiber); }, polls);
             polls();
             at[0].run_what_is_ready();  // the fiber may not have left its stack when its time was over
             require(fiber.fiber.ran == 1, "a deadline was missed, though a busy worker has polled");
           }},
          {"two busy workers that look at one heap",
           [](without fault) {
             deadlines at(2, fault);
             timed_job first(soon.count()), second(soon.count());
             at.waits_in(0, first);
             at.waits_in(0, second);
             const auto polls = [&](unsigned worker) {
               provider::pass(soon);
               at[worker].hold();
               for (int i = 0; i < 2; ++i) at[worker].poll_while_busy();
             };
             threads([&] { polls(0); }, [&] { polls(1); });
             require(first.fiber.ran == 1 && second.fiber.ran == 1,
                     "a deadline was missed, though its worker has polled");
           }},
          // Each needs the other one: the task that a sleeper wakes for, and the fiber that waits for its deadline.
          {"a deadline while the timekeeper is in a long task",
           [](without fault) {
             deadlines at(3, fault);
             pair_of_jobs<job> jobs;
             timed_job fiber(soon.count());
             fiber.fiber.body = jobs.second.body;
             threads(
                 [&] {
                   at.waits_in(0, fiber);
                   at.push(jobs.first);
                 },
                 [&] { at[1].run(1); }, [&] { at[2].run(1); });
           },
           large},
          {"two deadlines of busy workers, whose fibers need each other, beside two that fall asleep",
           [](without fault) {
             deadlines at(4, fault);
             pair_of_jobs<job> jobs;
             timed_job first(soon.count()), second(2 * soon.count());
             first.fiber.body = jobs.first.body;
             second.fiber.body = jobs.second.body;
             threads([&] { at.waits_in(0, second); }, [&] { at.waits_in(3, first); }, [&] { at[1].run(1); },
                     [&] { at[2].run(1); });
           },
           large}};
}

}  // namespace ramie::model
