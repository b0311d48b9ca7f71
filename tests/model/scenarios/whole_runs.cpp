// All the shipped parts together (small_scheduler.hpp), from the first spawn to the end of the run. Too large to be
// explored whole: random walks, and the smallest ones exhaustively.
#include <model/scenarios/whole_runs.hpp>

#include <ramie/scheduler/start_signal.hpp>
#include <ramie/sync/counter_core.hpp>

#include <array>

namespace ramie::model {
namespace {

// `items` come from outside, one after the other, then the order to end.
void injected(unsigned workers, unsigned items, planted fault) {
  small_scheduler home(workers, fault);
  home.ending.begin(false);
  std::array<item, 2> work;
  const auto outside = [&] {
    for (unsigned i = 0; i < items; ++i) home.inject(work[i]);
    home.drain();
  };
  if (workers == 1) {
    threads(outside, [&] { home[0].run(); });
  } else {
    threads(outside, [&] { home[0].run(); }, [&] { home[1].run(); });
  }
  for (unsigned i = 0; i < items; ++i) require(work[i].ran == 1, "an item was lost");
  home.require_rest();
}

// One item gives its worker to a thread that waits for one, after it has spawned another; it ends on a worker again.
void handed_over(unsigned workers, planted fault) {
  small_scheduler home(workers, fault);
  home.ending.begin(true);
  item blocks, other;
  blocks.times = 2;
  blocks.body = [&](small_worker& on) {
    if (blocks.ran == 2) return;
    on.spawn(other);
    on.leave_thread(blocks);
    if (!blocks.lost_its_worker) on.suspend([&] { on.push_ready(blocks); });  // nobody waits yet
  };
  home[0].spawn(blocks);
  if (workers == 1) {
    threads([&] { home.carry(&home[0]); }, [&] { home.carry(nullptr); });
  } else {
    threads([&] { home.carry(&home[0]); }, [&] { home.carry(&home[1]); }, [&] { home.carry(nullptr); });
  }
  require(blocks.ran == 2 && other.ran == 1, "an item was lost");
  home.require_rest();
}

// A start, one item, a stop: start() and stop() of a runtime with one worker thread.
void started_and_stopped(planted fault) {
  small_scheduler home(1, fault);
  detail::start_signal<provider> signal;
  item one;
  threads(
      [&] {
        home.ending.begin(false);
        signal.go();
        home.inject(one);
        home.drain();
      },
      [&] {
        if (signal.wait()) home[0].run();
      });
  require(one.ran == 1, "an item was lost");
  home.require_rest();
}

// One item from outside that was counted before, and nothing that wakes anybody after it.
void only_one(planted fault) {
  small_scheduler home(1, fault);
  home.ending.begin(true);
  home.ending.count_spawned_outside();
  item one;
  threads([&] { home.push_outside(one); }, [&] { home[0].run(); });
  require(one.ran == 1, "an item was lost");
  home.require_rest();
}

// One item that spawns another.
void spawned(unsigned workers, planted fault) {
  small_scheduler home(workers, fault);
  home.ending.begin(true);
  item parent, child;
  parent.body = [&](small_worker& on) { on.spawn(child); };
  home[0].spawn(parent);
  if (workers == 1) {
    threads([&] { home[0].run(); });
  } else {
    threads([&] { home[0].run(); }, [&] { home[1].run(); });
  }
  require(parent.ran == 1 && child.ran == 1, "an item was lost");
  home.require_rest();
}

// Two items that need each other: each waits, on its worker, until the other one runs. They and a third one are ready
// in the lane of a worker that is busy; a thief takes two of them at once.
struct pair_of_items {
  pair_of_items() {
    first.body = [this](small_worker&) {
      of_second.unpark();
      of_first.park();
    };
    second.body = [this](small_worker&) {
      of_first.unpark();
      of_second.park();
    };
  }
  item first, second;
  detail::park_word<provider> of_first, of_second;
};

void rest_of_a_batch(planted fault) {
  small_scheduler home(3, fault);
  home.ending.begin(true);
  pair_of_items pair;
  item third;
  for (item* each : {&pair.first, &pair.second, &third}) {
    each->content = 1;
    home[0].counts.spawned.add();
    require(home[0].lane.push_bottom(each), "the lane is full");
  }
  threads([&] { home[1].run(); }, [&] { home[2].run(); });
  require(pair.first.ran == 1 && pair.second.ran == 1 && third.ran == 1, "an item was lost");
  home.require_rest();
}

void rest_of_a_bundle(planted fault) {
  small_scheduler home(2, fault);
  home.ending.begin(true);
  pair_of_items pair;
  queue::injector<item, provider>::bundle bundle;
  pair.first.content = pair.second.content = 1;
  bundle.items[0] = &pair.first;
  bundle.items[1] = &pair.second;
  bundle.count = 2;
  home.ending.count_spawned_outside();
  home.ending.count_spawned_outside();
  threads(
      [&] {
        home.injector.push(&bundle, &bundle);
        home.notify();
      },
      [&] { home[0].run(); }, [&] { home[1].run(); });
  require(pair.first.ran == 1 && pair.second.ran == 1, "an item was lost");
  home.require_rest();
}

// Of two that need each other the second is pushed when the first one's worker has just found it.
void search_passed_on(planted fault) {
  small_scheduler home(2, fault);
  home.ending.begin(true);
  home.ending.count_spawned_outside();
  home.ending.count_spawned_outside();
  pair_of_items pair;
  threads(
      [&] {
        home.push_outside(pair.first);
        home.push_outside(pair.second);
      },
      [&] { home[0].run(); }, [&] { home[1].run(); });
  home.require_rest();
}

// A fiber that yields: it joins the lane of its worker, and another one may steal it.
void yields(planted fault) {
  small_scheduler home(2, fault);
  home.ending.begin(true);
  item fiber;
  fiber.times = 2;
  fiber.body = [&](small_worker& on) {
    if (fiber.ran == 1) on.suspend([&] { on.push_ready(fiber); });
  };
  home[0].spawn(fiber);
  threads([&] { home[0].run(); }, [&] { home[1].run(); });
  require(fiber.ran == 2, "a fiber was lost");
  home.require_rest();
}

// A fiber that waits for a counter, and one on another worker that decrements it.
void waits(planted fault) {
  using core = detail::counter_core<provider>;
  small_scheduler home(2, fault);
  home.ending.begin(true);
  struct waiting : work_item {
    waiting() : work_item(work_kind::fiber) {}
    item fiber;
  } waiter;
  core counter(1);
  core::place place(0, nullptr);
  item decrements;
  plain<int> done = 0;
  waiter.fiber.times = 2;
  waiter.fiber.body = [&](small_worker& on) {
    if (waiter.fiber.ran == 2) return require(done == 1, "woken too early");
    on.suspend([&] {
      if (!counter.enqueue(place, waiter)) on.push_ready(waiter.fiber);
    });
  };
  decrements.body = [&](small_worker& on) {
    done = 1;
    core::for_each_group(counter.add(-1).groups, [&](core::place& group) {
      detail::wake_each<provider>(group.bundle,
                                  [&](work_item& woken) { on.push_ready(static_cast<waiting&>(woken).fiber); });
    });
  };
  home[0].spawn(waiter.fiber);
  home[1].spawn(decrements);
  threads([&] { home[0].run(); }, [&] { home[1].run(); });
  require(waiter.fiber.ran == 2 && decrements.ran == 1, "a fiber was lost");
  home.require_rest();
}

// Two that need each other are in the deque of a worker whom a thief has asked. Its next pop may be what answers.
void asked_before(queue::kind which, planted fault) {
  small_scheduler home(2, fault, which);
  home.ending.begin(true);
  pair_of_items pair;
  home[0].spawn(pair.first);
  home[0].spawn(pair.second);
  if (which != queue::kind::chase_lev) {
    require(home[0].deque->pop_top().status == queue::steal_status::lost_race, "nobody was asked");
  }
  threads([&] { home[0].run(); }, [&] { home[1].run(); });
  require(pair.first.ran == 1 && pair.second.ran == 1, "an item was lost");
  home.require_rest();
}

// A fork, and the function beside it: each waits until the other one runs. `asked`: somebody wants work already.
void fork_that_is_needed(unsigned workers, bool asked, planted fault) {
  small_scheduler home(workers, fault);
  home.ending.begin(true);
  pair_of_items pair;
  item parent;
  parent.body = [&](small_worker& on) {
    fork_frame forked(pair.second);
    on.fork(forked);
    pair.first.body(on);
    on.join(forked);
  };
  home[0].spawn(parent);
  if (asked) home[0].forks.want();
  if (workers == 2) {
    threads([&] { home[0].run(); }, [&] { home[1].run(); });
  } else {
    threads([&] { home[0].run(); }, [&] { home[1].run(); }, [&] { home[2].run(); });
  }
  require(pair.second.ran == 1, "a fork was lost");
  home.require_rest();
}

// Two forks, of which neither ends before the other one runs, and beside them their parent. `between` is what the
// parent does after the first one.
void two_forks(small_scheduler& home, void (*between)(small_worker&)) {
  home.ending.begin(true);
  pair_of_items pair;
  item parent;
  detail::park_word<provider> of_parent;
  pair.second.body = [&](small_worker&) {
    pair.of_first.unpark();
    of_parent.unpark();
    pair.of_second.park();
  };
  parent.body = [&](small_worker& on) {
    fork_frame older(pair.first), newer(pair.second);
    on.fork(older);
    between(on);
    on.fork(newer);
    of_parent.park();
    on.join(newer);
    on.join(older);
  };
  home[0].spawn(parent);
  threads([&] { home[0].run(); }, [&] { home[1].run(); }, [&] { home[2].run(); });
  require(pair.first.ran == 1 && pair.second.ran == 1, "a fork was lost");
  home.require_rest();
}

void two_forks_that_are_needed(planted fault) {
  small_scheduler home(3, fault);
  home[0].forks.want();
  two_forks(home, [](small_worker&) {});
}

// The parent waits for something with a fork in its list; then it forks another, and these two need each other.
void fork_after_a_wait(planted fault) {
  small_scheduler home(3, fault);
  two_forks(home, [](small_worker& on) { on.give_forks_away(); });
}

// A call that makes two more, which may be stolen.
void calls(unsigned workers, planted fault) {
  small_scheduler home(workers, fault);
  home.ending.begin(true);
  item first, second, third;
  for (item* each : {&first, &second, &third}) each->call = true;
  first.body = [&](small_worker& on) {
    on.spawn(second);
    on.spawn(third);
  };
  home[0].spawn(first);
  if (workers == 1) {
    threads([&] { home[0].run(); });
  } else {
    threads([&] { home[0].run(); }, [&] { home[1].run(); });
  }
  require(first.ran == 1 && second.ran == 1 && third.ran == 1, "a call was lost");
  home.require_rest();
}

// Forks that nobody needs: taken or not, each runs once, and the run ends.
void forks_within_forks(planted fault) {
  small_scheduler home(2, fault);
  home.ending.begin(true);
  item parent, outer, inner;
  outer.body = [&](small_worker& on) {
    fork_frame forked(inner);
    on.fork(forked);
    on.join(forked);
  };
  parent.body = [&](small_worker& on) {
    fork_frame forked(outer);
    on.fork(forked);
    on.join(forked);
  };
  home[0].spawn(parent);
  threads([&] { home[0].run(); }, [&] { home[1].run(); });
  require(outer.ran == 1 && inner.ran == 1, "a fork was lost");
  home.require_rest();
}

}  // namespace

const std::vector<whole_run>& whole_runs() {
  static const std::vector<whole_run> all = {
      {"one item from outside, one worker", [](planted fault) { injected(1, 1, fault); }, {}},
      {"a start, an item, a stop", &started_and_stopped, {}},
      {"one item from outside, and nothing after it", &only_one, {}},
      {"two items from outside, two workers", [](planted fault) { injected(2, 2, fault); }, whole_run::large},
      {"an item that spawns another, one worker", [](planted fault) { spawned(1, fault); }, {}},
      {"an item that spawns another, two workers", [](planted fault) { spawned(2, fault); }, whole_run::large},
      {"a fiber that yields, and may be stolen", &yields, whole_run::large},
      {"a fiber that waits for another", &waits, whole_run::large},
      {"the rest of a stolen batch", &rest_of_a_batch, whole_run::large},
      {"the rest of a bundle from the injector", &rest_of_a_bundle, whole_run::large},
      {"two items from outside that need each other", &search_passed_on, whole_run::large},
      {"few preemptions: an item that spawns another, two workers", [](planted fault) { spawned(2, fault); },
       whole_run::few_preemptions},
      {"split: two in a deque that need each other", [](planted fault) { asked_before(queue::kind::split, fault); },
       whole_run::large},
      {"bwos_lifo: two in a deque that need each other",
       [](planted fault) { asked_before(queue::kind::bwos_lifo, fault); }, whole_run::large},
      {"bwos_fifo: two in a deque that need each other",
       [](planted fault) { asked_before(queue::kind::bwos_fifo, fault); }, whole_run::large},
      {"chase_lev: two in a deque that need each other",
       [](planted fault) { asked_before(queue::kind::chase_lev, fault); }, whole_run::large},
      {"a worker that leaves its thread", [](planted fault) { handed_over(1, fault); }, whole_run::large},
      {"a worker that leaves its thread, beside another", [](planted fault) { handed_over(2, fault); },
       whole_run::largest},
      {"few preemptions: a worker that leaves its thread", [](planted fault) { handed_over(1, fault); },
       whole_run::few_preemptions},
      {"calls that make calls, one worker", [](planted fault) { calls(1, fault); }, {}},
      {"calls that make calls, two workers", [](planted fault) { calls(2, fault); }, whole_run::large},
      {"a fork that is needed", [](planted fault) { fork_that_is_needed(2, false, fault); }, whole_run::large},
      {"a fork that is needed, and wanted already", [](planted fault) { fork_that_is_needed(2, true, fault); },
       whole_run::large},
      {"a fork that is needed, before two that fall asleep", [](planted fault) { fork_that_is_needed(3, true, fault); },
       whole_run::largest},
      {"two forks that are needed", &two_forks_that_are_needed, whole_run::largest},
      {"a fork that is needed after a wait", &fork_after_a_wait, whole_run::largest},
      {"forks within forks", &forks_within_forks, whole_run::large},
      {"few preemptions: a fiber that yields, and may be stolen", &yields, whole_run::few_preemptions},
      {"few preemptions: a fiber that waits for another", &waits, whole_run::few_preemptions},
      {"few preemptions: the rest of a stolen batch", &rest_of_a_batch, whole_run::few_preemptions},
      {"few preemptions: two items from outside that need each other", &search_passed_on, whole_run::few_preemptions}};
  return all;
}

}  // namespace ramie::model
