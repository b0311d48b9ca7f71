// The C thread pool: one thread begins a task, one frees its future, all waiters are told of its end, and no waiter
// sleeps for ever.
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/sleep_gate.hpp>

#include "c/pool/begin_word.hpp"
#include "c/pool/end_word.hpp"
#include "c/pool/follow.hpp"
#include "c/pool/waiter.hpp"

#include <array>
#include <deque>
#include <optional>

namespace ramie::model {

using enum std::memory_order;

namespace {

// A future with an entry in a queue: the first to come runs it, and the last one frees it.
struct queued {
  pool::begin_word<provider> begin;
  atomic<bool> ended{false};  // stands for the end_word
  plain<int> ran = 0;
  plain<int> of_the_entry = 0;  // touched by the taker of the entry
  plain<int> of_the_user = 0;   // and by the user, up to the end
  plain<int> freed = 0;

  void run() {
    ran = ran + 1;
    ended.store(true, release);
  }
  void free() {
    require(ran == 1, "freed before it ran, or it ran twice");
    require(of_the_entry == 1 && of_the_user == 1, "freed while it is used");
    freed = freed + 1;
  }
  void take_entry() {
    of_the_entry = 1;
    switch (begin.begin_from_queue(1)) {
      case pool::entry::to_run: run(); break;
      case pool::entry::dead: break;
      case pool::entry::to_free: free(); break;
    }
  }
  void wait() {
    if (begin.begin_in_place(2)) {
      run();
    } else {
      require(begin.worker() == 1 || begin.worker() == 2, "begun by nobody");
      while (!ended.load(acquire)) provider::pause();
    }
  }
  void use_and_free() {
    of_the_user = 1;
    if (begin.give_up()) free();
  }
};

struct driver_of_helper {
  futex_idle_driver<provider> driver;
  void interrupt() { driver.interrupt(); }
};

}  // namespace

subject begin_word_subject() {
  return {"c/pool/begin_word.hpp",
          {{"a thief and a waiter who frees",
            [] {
              queued one;
              threads([&] { one.take_entry(); },
                      [&] {
                        one.wait();
                        one.use_and_free();
                      });
              require(one.freed == 1, "not freed");
            }},
           {"a thief and two waiters", [] {
              queued one;
              atomic<int> got{0};
              threads([&] { one.take_entry(); },
                      [&] {
                        one.wait();
                        got.store(1, release);
                      },
                      [&] {
                        one.wait();
                        while (got.load(acquire) == 0) provider::pause();
                        one.use_and_free();
                      });
              require(one.freed == 1, "not freed");
            }}}};
}

subject end_word_subject() {
  struct waiter {
    plain<waiter*> next = nullptr;
    detail::park_word<provider> word;
  };
  struct running {
    pool::end_word<waiter, provider> end;
    plain<int> result = 0;
    plain<int> freed = 0;

    void complete() {
      result = 42;
      if (end.complete([](waiter& woken) { woken.word.unpark(); })) free();
    }
    void free() {
      require(result == 42, "freed before it has ended");
      freed = freed + 1;
    }
    void get() {
      std::optional<waiter> me(std::in_place);
      if (end.add(*me)) me->word.park();
      require(result == 42, "got before it has ended");
    }
  };
  return {"c/pool/end_word.hpp",
          {{"two that wait",
            [] {
              running task;
              const auto get = [&] { task.get(); };
              threads([&] { task.complete(); }, get, get);
            }},
           {"one that looks first",
            [] {
              running task;
              threads([&] { task.complete(); },
                      [&] {
                        if (!task.end.has_ended()) return;
                        require(task.result == 42, "ended without its result");
                      });
            }},
           {"one that is not wanted", [] {
              running task;
              threads([&] { task.complete(); },
                      [&] {
                        task.freed = 0;  // the user's side uses the future up to the end
                        if (!task.end.abandon()) task.free();
                      });
              require(task.freed == 1, "freed by both sides, or by none");
            }}}};
}

subject pool_waiter_subject() {
  using waiter = pool::waiter<driver_of_helper, provider>;
  struct running {
    pool::end_word<waiter, provider> end;
    plain<int> result = 0;
    void complete() {
      result = 42;
      require(!end.complete([](waiter& woken) { woken.wake(); }), "nobody has given it up");
    }
  };
  // The record is gone when the wait is over: what follows it in the same place must not be touched.
  return {"c/pool/waiter.hpp", {{"a helper and a thread from outside", [] {
                                   running task;
                                   driver_of_helper helper;
                                   threads([&] { task.complete(); },
                                           [&] {
                                             std::optional<waiter> mine(std::in_place, &helper);
                                             if (task.end.add(*mine)) {
                                               while (!mine->is_released()) helper.driver.wait(std::nullopt);
                                             }
                                             require(task.result == 42, "helped to an end without a result");
                                             mine->next = nullptr;
                                           },
                                           [&] {
                                             std::optional<waiter> mine(std::in_place, nullptr);
                                             if (task.end.add(*mine)) mine->park();
                                             require(task.result == 42, "waited for an end without a result");
                                           });
                                 }}}};
}

subject follow_subject() {
  // A runner that submits `submits` times and then ends its task, which `count` followers wait for. Followers alone
  // take the submitted tasks: if they slept beside them, nobody could go on.
  struct beside {
    explicit beside(unsigned count) : gate(count), drivers(count) {}
    detail::sleep_gate<provider> gate;
    std::deque<futex_idle_driver<provider>> drivers;
    atomic<int> submitted{0};
    atomic<int> taken{0};
    atomic<bool> ended{false};

    void notify() {
      gate.notify([this](unsigned chosen) { drivers[chosen].interrupt(); });
    }
    void run(int submits) {
      for (int i = 0; i < submits; ++i) {
        submitted.fetch_add(1, release);
        notify();
      }
      while (taken.load(acquire) < submits) provider::pause();
      ended.store(true, release);
      for (auto& each : drivers) each.interrupt();
    }
    bool take() {
      int there = submitted.load(acquire);
      return there > 0 && submitted.compare_exchange_strong(there, there - 1, acquire, relaxed);
    }
    void follow(unsigned self) {
      const auto has_work = [&] { return submitted.load(relaxed) > 0; };
      while (!ended.load(acquire)) {
        if (take()) {
          if (has_work()) notify();
          taken.fetch_add(1, release);
          continue;
        }
        pool::sleep_beside(
            gate, self, [&] { return ended.load(relaxed) || has_work(); }, [&] { drivers[self].wait(std::nullopt); },
            [&] {
              if (has_work()) notify();
            });
      }
    }
  };
  return {"c/pool/follow.hpp",
          {{"one follower, one submit",
            [] {
              beside runner(1);
              threads([&] { runner.run(1); }, [&] { runner.follow(0); });
              require(runner.gate.counts().sleeping() == 0 && runner.gate.counts().searching() == 0, "not at rest");
            }},
           {"two followers, one submit",
            [] {
              beside runner(2);
              threads([&] { runner.run(1); }, [&] { runner.follow(0); }, [&] { runner.follow(1); });
              require(runner.gate.counts().sleeping() == 0 && runner.gate.counts().searching() == 0, "not at rest");
            },
            {.how = search::walks}}}};
}

}  // namespace ramie::model
