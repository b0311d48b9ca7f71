// The protocols of one word: locks, parked threads, joins, the start of a run, foreign callers.
#include <model/scenarios/one_deadline.hpp>
#include <model/scenarios/scenario.hpp>

#include <ramie/base/futex_lock.hpp>
#include <ramie/queue/locked.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/join_word.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/start_signal.hpp>
#include <ramie/scheduler/wait_record.hpp>

#include "scheduler/foreign_callers.hpp"
#include "scheduler/waiting_threads.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace ramie::model {

using enum std::memory_order;

namespace {

// futex_wait may return for no reason.
constexpr limits may_wake_for_nothing{.spurious_failures = 1};

}  // namespace

subject futex_lock_subject() {
  using lock = futex_lock<provider>;
  struct guarded {
    lock mutex;
    plain<int> count = 0;
    void add() {
      const std::lock_guard guard(mutex);
      count = count + 1;
    }
    void add_if_free() {
      const std::unique_lock guard(mutex, std::try_to_lock);
      if (guard.owns_lock()) count = count + 1;
    }
  };
  return {"base/futex_lock.hpp",
          {{"two threads, twice each",
            [] {
              guarded shared;
              const auto twice = [&] {
                shared.add();
                shared.add();
              };
              threads(twice, twice);
              require(shared.count == 4, "a critical section was lost");
            }},
           {"two threads that wake for nothing",
            [] {
              guarded shared;
              const auto once = [&] { shared.add(); };
              threads(once, once);
              require(shared.count == 2, "a critical section was lost");
            },
            may_wake_for_nothing},
           {"three threads, once each",
            [] {
              guarded shared;
              const auto once = [&] { shared.add(); };
              threads(once, once, once);
              require(shared.count == 3, "a critical section was lost");
            }},
           {"a thread that does not wait", [] {
              guarded shared;
              const auto once = [&] { shared.add(); };
              threads(once, once, [&] { shared.add_if_free(); });
              require(shared.count >= 2, "a critical section was lost");
            }}}};
}

subject park_word_subject() {
  using word = detail::park_word<provider>;
  return {"scheduler/park_word.hpp",
          {{"parked once",
            [] {
              word mine;
              plain<int> message = 0;
              threads(
                  [&] {
                    mine.park();
                    require(message == 1, "woken too early");
                  },
                  [&] {
                    message = 1;
                    mine.unpark();
                  });
            },
            may_wake_for_nothing},
           {"parked until a deadline",
            [] {
              word mine;
              plain<int> message = 0;
              threads(
                  [&] {
                    if (!mine.park_until(1)) mine.park();
                    require(message == 1, "woken too early");
                  },
                  [&] {
                    message = 1;
                    mine.unpark();
                  });
            },
            may_wake_for_nothing},
           {"parked twice, by two wakers", [] {
              word mine;
              plain<int> first = 0;
              plain<int> second = 0;
              atomic<int> round{0};
              threads(
                  [&] {
                    mine.park();
                    require(first == 1, "woken too early");
                    round.store(1, release);
                    mine.park();
                    require(second == 1, "woken too early");
                  },
                  [&] {
                    first = 1;
                    mine.unpark();
                    while (round.load(acquire) != 1) provider::pause();
                    second = 1;
                    mine.unpark();
                  });
            }}}};
}

subject idle_driver_subject() {
  using driver = futex_idle_driver<provider>;
  return {"scheduler/idle_driver.hpp",
          {{"an interrupt",
            [] {
              driver mine;
              plain<int> message = 0;
              threads(
                  [&] {
                    mine.wait(std::nullopt);
                    require(message == 1, "returned without an interrupt");
                  },
                  [&] {
                    message = 1;
                    mine.interrupt();
                  });
            },
            may_wake_for_nothing},
           {"two interrupts and a wait with a deadline", [] {
              driver mine;
              atomic<int> flag{0};
              threads(
                  [&] {
                    mine.wait(std::chrono::steady_clock::time_point{});
                    while (flag.load(relaxed) < 2) mine.wait(std::nullopt);
                  },
                  [&] {
                    flag.fetch_add(1, relaxed);
                    mine.interrupt();
                  },
                  [&] {
                    flag.fetch_add(1, relaxed);
                    mine.interrupt();
                  });
            }}}};
}

namespace {

struct waiter {
  detail::park_word<provider> word;
  plain<int> stack = 0;  // where it has left off
  void wake() {
    require(stack == 1, "a waiter was woken before it had left its stack");
    word.unpark();
  }
};
using record = detail::wait_record<waiter, provider>;

// The frame of a wait for several reasons, on the waiter's stack.
struct frame_of_wait {
  explicit frame_of_wait(waiter& who) : record(who) {}
  model::record record;
  detail::wait_arm<waiter, provider> arm{record};
};

using deadline = one_deadline<waiter>;

}  // namespace

namespace {

// Waits that meet: each has a record, and lives until all have ended.
struct meeting {
  struct party {
    waiter me;
    model::record record{me};
    plain<int> met = 0;
    deadline limit;
  };
  party all[3];
  atomic<int> pairs{0};

  // As a select that finds another one, and waits where it finds nobody.
  void meet_and_wait(int i, int other, bool gives_up) {
    party& mine = all[i];
    switch (record::claim_both(mine.record, all[other].record)) {
      case record::both::claimed:
        pairs.fetch_add(1, relaxed);
        mine.met = all[other].met = 1;
        require(mine.record.finish() == nullptr, "it still runs");
        if (waiter* const sleeper = all[other].record.finish()) sleeper->wake();
        break;
      case record::both::not_other:
        if (gives_up && mine.record.claim(wake_reason::timed_out))
          require(mine.record.finish() == nullptr, "it still runs");
        break;
      case record::both::not_mine: break;
    }
    wait(i);
  }
  void wait(int i) {
    party& mine = all[i];
    mine.me.stack = 1;
    if (mine.record.park()) mine.me.word.park();
    mine.limit.take_back();
    require((mine.met == 1) == (mine.record.reason() == wake_reason::woken), "it has met, and does not know");
  }
  void expire(int i) {
    all[i].limit.expire([](waiter& sleeper) { sleeper.wake(); });
  }
};

}  // namespace

subject wait_record_subject() {
  struct wait {
    waiter me;
    frame_of_wait frame{me};
    plain<int> message = 0;
    atomic<int> first{0};

    void claim(wake_reason reason) {
      if (!frame.record.claim(reason)) return;
      require(first.fetch_add(1, relaxed) == 0, "two claims were the first");
      if (waiter* const sleeper = frame.record.finish()) sleeper->wake();
    }
    void sleep() {
      me.stack = 1;
      if (frame.record.park()) me.word.park();
    }
  };
  return {"scheduler/wait_record.hpp",
          {{"two reasons that meet",
            [] {
              wait of;
              threads([&] { of.claim(wake_reason::woken); }, [&] { of.claim(wake_reason::timed_out); },
                      [&] { of.sleep(); });
              require(of.frame.record.is_finished(), "woken for nothing");
            }},
           {"a message",
            [] {
              wait of;
              threads(
                  [&] {
                    of.message = 1;
                    of.claim(wake_reason::woken);
                  },
                  [&] {
                    of.sleep();
                    require(of.message == 1, "woken without the message");
                  });
            }},
           {"one that looks",
            [] {
              wait of;
              threads(
                  [&] {
                    of.message = 1;
                    of.claim(wake_reason::closed);
                  },
                  [&] {
                    if (!of.frame.record.is_finished()) return;
                    require(of.message == 1 && of.frame.record.reason() == wake_reason::closed, "over too early");
                  });
            }},
           {"a thread whose deadline meets two other reasons",
            [] {
              wait of;
              threads([&] { of.claim(wake_reason::woken); }, [&] { of.claim(wake_reason::cancelled); },
                      [&] {
                        of.me.stack = 1;
                        if (!of.frame.record.park()) return;
                        if (of.me.word.park_until(1)) return;
                        if (!of.frame.record.claim(wake_reason::timed_out)) of.me.word.park();
                      });
              of.me.word.unpark();
              of.me.word.park();  // nothing was left over, nor is anything missing
            }},
           {"two waiters that meet each other",
            [] {
              meeting of;
              threads([&] { of.meet_and_wait(0, 1, false); }, [&] { of.meet_and_wait(1, 0, false); });
              require(of.pairs.load(relaxed) == 1, "they have met twice, or not at all");
            }},
           {"two that meet a third, of which the lower address is the first",
            [] {
              meeting of;
              threads([&] { of.meet_and_wait(0, 1, true); }, [&] { of.wait(1); },
                      [&] { of.meet_and_wait(2, 1, true); });
              require(of.pairs.load(relaxed) == 1, "the third has met two, or nobody");
            }},
           {"three in a circle",
            [] {
              meeting of;
              threads([&] { of.meet_and_wait(0, 1, true); }, [&] { of.meet_and_wait(1, 2, true); },
                      [&] { of.meet_and_wait(2, 0, true); });
              require(of.pairs.load(relaxed) == 1, "of three two meet");
            }},
           {"a waiter that is met when its time is over",
            [] {
              meeting of;
              of.all[1].limit.set(of.all[1].record);
              threads([&] { of.meet_and_wait(0, 1, true); }, [&] { of.wait(1); }, [&] { of.expire(1); });
              require(of.all[0].met == of.all[1].met, "one has met the other, and not the reverse");
            }},
           {"a waiter that meets another one when its own time is over",
            [] {
              meeting of;
              of.all[0].limit.set(of.all[0].record);
              threads([&] { of.meet_and_wait(0, 1, false); },
                      [&] {
                        of.expire(0);
                        if (of.all[1].record.claim(wake_reason::cancelled))
                          require(of.all[1].record.finish() == nullptr, "it still runs");
                        of.wait(1);
                      });
              require(of.all[0].met == of.all[1].met, "one has met the other, and not the reverse");
            }},
           {"an arm that is fired while its wait ends otherwise", [] {
              waiter me;
              atomic<detail::wait_arm<waiter, provider>*> object{nullptr};
              const auto wait = [&] {
                const auto frame = std::make_unique<frame_of_wait>(me);
                object.store(&frame->arm, release);
                if (frame->record.claim(wake_reason::cancelled)) {
                  require(frame->record.finish() == nullptr, "it still runs");
                }
                me.stack = 1;
                if (frame->record.park()) me.word.park();
                if (object.exchange(nullptr, relaxed) == nullptr) frame->arm.await_let_go();
              };
              threads(wait, [&] {
                if (auto* const arm = object.exchange(nullptr, acquire)) {
                  arm->fire(wake_reason::woken, [](waiter& woken) { woken.wake(); });
                }
              });
            }}}};
}

subject join_word_subject() {
  struct shared_task {
    plain<int> result = 0;
    plain<int> freed = 0;
    detail::join_word<waiter, provider> state;

    // The worker's side.
    void run() {
      result = 42;
      const bool nobody_joins = state.complete([](waiter& joined) { joined.wake(); });
      if (nobody_joins) free();
    }
    void free() {
      require(result == 42, "freed before it was done");
      freed = freed + 1;
    }
    // The handle's side.
    void join(waiter& me) {
      me.stack = 1;
      if (state.set_waiter(me)) me.word.park();
      require(result == 42, "joined before it was done");
      free();
    }
    // The same, but the deadline may come first.
    wake_reason join_or_give_up(waiter& me, deadline& limit) {
      const auto frame = std::make_unique<frame_of_wait>(me);  // which the checker sees used when it is gone
      if (!state.set_arm(frame->arm)) return require(result == 42, "done without its result"), wake_reason::woken;
      limit.set(frame->record);
      me.stack = 1;
      if (frame->record.park()) me.word.park();
      limit.take_back();
      state.take_back(frame->arm);
      const wake_reason reason = frame->record.reason();
      require(reason == wake_reason::timed_out || result == 42, "joined before it was done");
      return reason;
    }
  };
  return {"scheduler/join_word.hpp",
          {{"a join",
            [] {
              shared_task task;
              waiter me;
              threads([&] { task.run(); }, [&] { task.join(me); });
              require(task.freed == 1, "not freed");
            }},
           {"a handle that looks first",
            [] {
              shared_task task;
              waiter me;
              threads([&] { task.run(); },
                      [&] {
                        if (!task.state.is_done()) return task.join(me);
                        require(task.result == 42, "done without its result");
                        task.free();
                      });
              require(task.freed == 1, "not freed");
            }},
           {"a join that gives up",
            [] {
              shared_task task;
              waiter me;
              deadline limit;
              threads([&] { task.run(); }, [&] { limit.expire([](waiter& woken) { woken.wake(); }); },
                      [&] {
                        static_cast<void>(task.join_or_give_up(me, limit));
                        waiter again;
                        task.join(again);
                      });
              require(task.freed == 1, "not freed");
            }},
           {"a handle that is let go", [] {
              shared_task task;
              plain<int> last_touch = 0;
              threads([&] { task.run(); },
                      [&] {
                        task.freed = 0;  // the handle's side uses the task up to the end
                        last_touch = 1;
                        if (task.state.detach()) task.free();
                      });
              require(task.freed == 1, "freed by both sides, or by none");
            }}}};
}

subject start_signal_subject() {
  using signal = detail::start_signal<provider>;
  const auto start = [](bool go) {
    signal of;
    plain<int> set_before = 0;
    plain<int> ran[2] = {0, 0};
    const auto worker = [&](int i) {
      if (!of.wait()) return;
      require(set_before == 1, "a worker began before its runtime was ready");
      ran[i] = 1;
    };
    threads(
        [&] {
          set_before = 1;
          go ? of.go() : of.give_up();
        },
        [&] { worker(0); }, [&] { worker(1); });
    require(ran[0] == (go ? 1 : 0) && ran[1] == (go ? 1 : 0), "a worker did not do as it was told");
  };
  return {"scheduler/start_signal.hpp",
          {{"two workers and a start", [start] { start(true); }, may_wake_for_nothing},
           {"two workers and no start", [start] { start(false); }, may_wake_for_nothing}}};
}

subject foreign_callers_subject() {
  return {"scheduler/foreign_callers.hpp",
          {{"a runtime that ends while a foreign thread is inside",
            [] {
              struct gate {
                plain<int> looked_at = 0;
              };
              detail::foreign_callers<provider> inside;
              std::optional<gate> home(std::in_place);
              atomic<int> work{0};
              threads(
                  [&] {
                    inside.enter();
                    work.store(1, release);  // it may run and end before we go on
                    static_cast<void>(home->looked_at + 0);
                    inside.leave();
                  },
                  [&] {
                    while (work.load(acquire) == 0) provider::pause();
                    inside.wait_until_gone();
                    home.reset();
                  });
            }},
           {"two foreign threads", [] {
              detail::foreign_callers<provider> inside;
              plain<int> looked_at = 0;
              atomic<int> work{0};
              const auto stranger = [&] {
                inside.enter();
                work.fetch_add(1, release);
                static_cast<void>(looked_at + 0);
                inside.leave();
              };
              threads(stranger, stranger, [&] {
                while (work.load(acquire) < 2) provider::pause();
                inside.wait_until_gone();
                looked_at = 1;
              });
            }}}};
}

subject waiting_threads_subject() {
  struct worker {
    plain<int> held = 0;  // by how many threads, one after another
  };
  using waiting_threads = detail::waiting_threads<worker, provider>;
  // As runtime::carry(), for a thread that gives each worker away if somebody waits, and ends the run with the last.
  const auto carry = [](waiting_threads& all, worker* first, int most) {
    waiting_threads::place mine;
    for (worker* held = first != nullptr ? first : all.wait(mine); held != nullptr; held = all.wait(mine)) {
      held->held = held->held + 1;
      waiting_threads::place* const next = held->held < most ? all.take() : nullptr;
      next != nullptr ? next->hand(*held) : all.end();
    }
  };
  return {"scheduler/waiting_threads.hpp",
          {{"a worker that two threads hold in turns",
            [carry] {
              waiting_threads all;
              worker one;
              threads([&] { carry(all, &one, 3); }, [&] { carry(all, nullptr, 3); });
              require(one.held >= 1, "nobody held the worker");
            },
            may_wake_for_nothing},
           {"a worker, and two threads that wait for it",
            [carry] {
              waiting_threads all;
              worker one;
              threads([&] { carry(all, &one, 2); }, [&] { carry(all, nullptr, 2); }, [&] { carry(all, nullptr, 2); });
              require(one.held >= 1, "nobody held the worker");
            }},
           {"two workers", [carry] {
              waiting_threads all;
              worker one, two;
              threads([&] { carry(all, &one, 2); }, [&] { carry(all, &two, 1); }, [&] { carry(all, nullptr, 2); });
              require(one.held >= 1 && two.held == 1, "nobody held a worker");
            }}}};
}

}  // namespace ramie::model
