// The end of a run: nobody says that it is over while something is left to run, and a worker that is told sees
// everything done.
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/termination.hpp>

#include <array>

namespace ramie::model {
namespace {

using enum std::memory_order;

struct run_of_two {
  struct totals {
    detail::basic_owned_count<provider> spawned, done;
  };
  detail::termination<provider> ending;
  std::array<totals, 2> workers;
  atomic<int> queued{0};
  plain<int> effect = 0;

  void push() { queued.store(1, release); }
  // A worker that looks around once.
  void take_and_run(unsigned worker) {
    if (queued.load(relaxed) == 1 && queued.exchange(0, acquire) == 1) {
      effect = 1;
      workers[worker].done.add_release();
    }
    look(effect);
  }
  void look(plain<int>& must_be_done) {
    ending.finish_if_drained(workers, [] {});
    if (ending.finished()) require(must_be_done == 1, "the run was over before its work was done");
  }
  void finish() {
    if (queued.load(relaxed) == 1) take_and_run(0);
    look(effect);
    require(ending.finished(), "all is done, and the run is not over");
  }
};

std::vector<scenario> scenarios() {
  return {{"a fiber that spawns another, and ends first",
           [] {
             run_of_two of;
             of.ending.begin(true);
             of.workers[0].spawned.add();
             threads(
                 [&] {
                   of.workers[0].spawned.add();
                   of.push();
                   of.workers[0].done.add_release();
                 },
                 [&] { of.take_and_run(1); }, [&] { of.look(of.effect); });
             of.finish();
           }},
          {"a child that ends on another worker than its parent",
           [] {
             run_of_two of;
             of.ending.begin(true);
             of.workers[0].spawned.add();
             plain<int> second = 0;
             threads(
                 [&] {
                   of.workers[0].spawned.add();
                   of.push();
                   second = 1;
                   of.workers[0].done.add_release();
                 },
                 [&] { of.take_and_run(1); }, [&] { of.look(second); });
             of.finish();
           }},
          {"a spawn from outside, then the order to end",
           [] {
             run_of_two of;
             of.ending.begin(false);
             threads(
                 [&] {
                   of.ending.count_spawned_outside();
                   of.push();
                   of.ending.drain([] {});
                 },
                 [&] { of.take_and_run(0); }, [&] { of.look(of.effect); });
             of.finish();
           }},
          {"a spawn from outside by a thread that the one who ends the run has heard of",
           [] {
             run_of_two of;
             of.ending.begin(false);
             atomic<bool> spawned{false};
             threads(
                 [&] {
                   of.ending.count_spawned_outside();
                   of.push();
                   spawned.store(true, release);
                 },
                 [&] {
                   while (!spawned.load(acquire)) provider::pause();
                   of.ending.drain([] {});
                 },
                 [&] { of.take_and_run(1); });
             of.finish();
           }},
          {"two spawns from outside",
           [] {
             run_of_two of;
             of.ending.begin(true);
             threads([&] { of.ending.count_spawned_outside(); }, [&] { of.ending.count_spawned_outside(); });
             require(of.ending.spawned_outside() == 2, "a spawn was not counted");
           }},
          {"a fiber from outside that spawns another", [] {
             run_of_two of;
             of.ending.begin(true);
             of.ending.count_spawned_outside();
             of.push();
             threads(
                 [&] {
                   if (of.queued.load(relaxed) != 1 || of.queued.exchange(0, acquire) != 1) return;
                   of.workers[1].spawned.add();
                   of.effect = 1;
                   of.workers[1].done.add_release();
                   of.workers[1].done.add_release();
                 },
                 [&] {
                   of.ending.finish_if_drained(of.workers, [] {});
                   if (of.ending.finished() && of.workers[1].done.get() != 0)
                     require(of.workers[1].done.get() == 2, "the run ended in the middle");
                 });
           }}};
}

}  // namespace

subject termination_subject() { return {"scheduler/termination.hpp", scenarios()}; }
subject statistics_subject() { return {"scheduler/statistics.hpp", scenarios()}; }

}  // namespace ramie::model
