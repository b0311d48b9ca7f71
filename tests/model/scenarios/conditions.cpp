// Waits for what others bring about: notifications wake exactly as many as they say, a condition that holds is found by
// those who unlock, and what is done once is done once.
#include <model/scenarios/lock_waiter.hpp>

#include <ramie/sync/condition_core.hpp>
#include <ramie/sync/conditional_core.hpp>
#include <ramie/sync/once_core.hpp>

#include <memory>
#include <mutex>
#include <optional>

namespace ramie::model {

using namespace locks;

// ---- condition_variable ----

namespace {

struct condition_play {
  using core = detail::condition_core<provider>;
  using node = core::node;
  std::optional<core> changed{std::in_place};
  lock_of<provider> lock;
  plain<int> value = 0;

  struct frame {
    explicit frame(waiter& me) : of(me) { mine.set_record(of); }
    record of;
    node mine;
  };

  void wait_until_changed(waiter& me) {
    std::unique_lock guard(lock);
    while (value == 0) {
      deadline never;
      static_cast<void>(wait(me, guard, never));
    }
  }
  wake_reason wait(waiter& me, std::unique_lock<lock_of<provider>>& guard, deadline& limit) {
    const auto each = std::make_unique<frame>(me);
    changed->enqueue(each->mine);
    guard.unlock();
    const wake_reason reason = wait_for(each->of, me, limit);
    if (reason != wake_reason::woken) changed->withdraw(each->mine);
    guard.lock();
    return reason;
  }
  int notify(std::uint64_t most) {
    detail::woken_waiters<provider> woken;
    changed->notify(most, woken);
    int count = 0;
    woken.wake_each([&](work_item& sleeper) {
      ++count;
      go_on(sleeper);
    });
    return count;
  }
  void change() {
    const std::lock_guard guard(lock);
    value = 1;
  }
};

}  // namespace

subject condition_subject() {
  return {"sync/condition_core.hpp",
          {{"one that waits for a change",
            [] {
              condition_play of;
              waiter me;
              threads([&] { of.wait_until_changed(me); },
                      [&] {
                        of.change();
                        of.notify(1);
                      });
              require(of.changed->await_leavers(), "a waiter was left behind");
            }},
           {"two that wait, notified one by one",
            [] {
              condition_play of;
              waiter first, second;
              threads([&] { of.wait_until_changed(first); }, [&] { of.wait_until_changed(second); },
                      [&] {
                        of.change();
                        of.notify(1);
                        of.notify(1);
                      });
            },
            {.how = search::bounded, .preemptions = 2, .old_values = 1}},
           {"one that may give up, where the notifier destroys it",
            [] {
              condition_play of;
              waiter me;
              deadline limit;
              plain<int> woken = 0;
              threads(
                  [&] {
                    std::unique_lock guard(of.lock);
                    if (of.value != 0) return;
                    of.value = 2;  // it waits
                    if (of.wait(me, guard, limit) == wake_reason::woken) woken = 1;
                  },
                  [&] { limit.expire(&go_on); },
                  [&] {
                    const std::lock_guard guard(of.lock);
                    if (of.value == 0) {
                      of.value = 1;
                      return;
                    }
                    of.notify(~std::uint64_t{0});
                    require(of.changed->await_leavers(), "somebody still waits");
                    of.changed.reset();
                  });
            },
            {.how = search::bounded, .preemptions = 3, .old_values = 1}},
           {"one notification for one of two, of which one may give up",
            [] {
              condition_play of;
              waiter first, second;
              deadline limit;
              plain<int> taken = 0;
              const auto take = [&](waiter& me, bool gives_up) {
                std::unique_lock guard(of.lock);
                while (of.value == 0) {
                  deadline never;
                  if (of.wait(me, guard, gives_up ? limit : never) != wake_reason::woken) return;
                }
                of.value = of.value - 1;
                taken = taken + 1;
              };
              const auto put = [&] {
                {
                  const std::lock_guard guard(of.lock);
                  of.value = of.value + 1;
                }
                of.notify(1);
              };
              threads([&] { take(first, true); }, [&] { take(second, false); },
                      [&] {
                        put();
                        limit.expire(&go_on);
                        put();
                      });
              require(of.changed->await_leavers(), "a waiter was left behind");
            },
            some_walks()}}};
}

// ---- conditional_mutex ----

namespace {

struct conditional_play {
  using core = detail::conditional_core<provider>;
  core lock;
  plain<int> value = 0;

  void take(waiter& me) {
    if (lock.try_lock()) return;
    const auto mine = std::make_unique<core::node>();
    wait_in(lock, *mine, me);
  }
  void give() { require(lock.unlock(&go_on), "nobody owned it"); }
  // As conditional_mutex::wait_for(). False: it has given up.
  [[nodiscard]] bool take_when(waiter& me, int wanted, deadline& limit) {
    take(me);
    const auto condition = [&] { return value >= wanted; };
    const detail::function_ref<bool()> holds(condition);
    if (holds()) return true;
    const auto mine = std::make_unique<core::node>(holds);
    record of(me);
    mine->set_record(of);
    lock.enqueue_and_unlock(*mine, &go_on);
    const wake_reason reason = wait_for(of, me, limit);
    if (reason == wake_reason::woken) return true;
    lock.withdraw(*mine);
    return false;
  }
  // The same for a wait that is begun again when it has given up.
  void take_when_after_all(waiter& me, int wanted, deadline& limit) {
    take(me);
    const auto condition = [&] { return value >= wanted; };
    const detail::function_ref<bool()> holds(condition);
    if (holds()) return;
    const auto mine = std::make_unique<core::node>(holds);
    {
      record of(me);
      mine->set_record(of);
      lock.enqueue_and_unlock(*mine, &go_on);
      if (wait_for(of, me, limit) == wake_reason::woken) return;
      lock.withdraw(*mine);
    }
    deadline never;
    record of(me);
    mine->set_record(of);
    lock.enqueue_again(*mine, &go_on);
    require(wait_for(of, me, never) == wake_reason::woken, "it has no deadline");
  }
  void count(waiter& me) {
    take(me);
    value = value + 1;
    give();
  }
  void be_left() const {
    require(!lock.is_held(), "it is held for ever");
    require(!lock.has_waiters(), "a waiter was left behind");
  }
};

}  // namespace

subject conditional_subject() {
  return {"sync/conditional_core.hpp",
          {{"two that count",
            [] {
              conditional_play of;
              waiter first, second;
              threads([&] { of.count(first); }, [&] { of.count(second); });
              require(of.value == 2, "a change is lost");
              of.be_left();
            }},
           {"one that waits for the other",
            [] {
              conditional_play of;
              waiter first, second;
              deadline never;
              threads([&] { of.count(first); },
                      [&] {
                        require(of.take_when(second, 1, never), "it has no deadline");
                        require(of.value == 1, "the condition does not hold");
                        of.give();
                      });
              of.be_left();
            }},
           {"one that waits for two, and may give up",
            [] {
              conditional_play of;
              waiter first, second;
              deadline limit;
              threads(
                  [&] {
                    of.count(first);
                    of.count(first);
                  },
                  [&] { limit.expire(&go_on); },
                  [&] {
                    if (!of.take_when(second, 2, limit)) return;
                    require(of.value == 2, "the condition does not hold");
                    of.give();
                  });
              of.be_left();
            },
            some_walks()},
           {"one that gives up, and waits again",
            [] {
              conditional_play of;
              waiter first, second;
              deadline limit;
              threads(
                  [&] {
                    of.count(first);
                    of.count(first);
                  },
                  [&] { limit.expire(&go_on); },
                  [&] {
                    of.take_when_after_all(second, 2, limit);
                    require(of.value == 2, "the condition does not hold");
                    of.give();
                  });
              of.be_left();
            },
            some_walks()},
           {"two conditions, one after the other",
            [] {
              conditional_play of;
              waiter first, second, third;
              deadline never, too;
              threads([&] { of.count(first); },
                      [&] {
                        require(of.take_when(second, 1, never), "it has no deadline");
                        of.value = of.value + 1;
                        of.give();
                      },
                      [&] {
                        require(of.take_when(third, 2, too), "it has no deadline");
                        require(of.value == 2, "the condition does not hold");
                        of.give();
                      });
              of.be_left();
            },
            some_walks()}}};
}

// ---- call_once ----

subject once_subject() {
  using core = detail::once_core<provider>;
  struct play {
    core flag;
    plain<int> value = 0;
    int failures;
    explicit play(int fails) : failures(fails) {}

    // As call_once(). The first calls fail.
    void call(waiter& me) {
      if (flag.is_done()) return;
      if (!flag.begin_quickly()) {
        const auto mine = std::make_unique<core::node>();
        wait_in(flag, *mine, me);
        if (!mine->runs()) return;
      }
      value = value + 1;
      flag.finish(value > failures, &go_on);
    }
  };
  return {"sync/once_core.hpp",
          {{"two",
            [] {
              play of(0);
              waiter first, second;
              const auto call = [&](waiter& me) {
                of.call(me);
                require(of.value == 1, "done twice, or not seen");
              };
              threads([&] { call(first); }, [&] { call(second); });
            }},
           {"two, of which the first fails",
            [] {
              play of(1);
              waiter first, second;
              threads([&] { of.call(first); }, [&] { of.call(second); });
              require(of.value == 2, "not tried again");
            }},
           {"three, of which the first fails",
            [] {
              play of(1);
              waiter first, second, third;
              threads([&] { of.call(first); }, [&] { of.call(second); }, [&] { of.call(third); });
              require(of.value == 2, "not tried again, or done twice");
            },
            {.how = search::bounded, .preemptions = 2, .old_values = 1}}}};
}

}  // namespace ramie::model
