// The locks: one at a time is inside and sees what those before it have done; a waiter whose time is over has got
// nothing, and nothing is lost with it; notifications wake exactly as many as they say.
#include <model/scenarios/one_deadline.hpp>
#include <model/scenarios/scenario.hpp>

#include <support/repetitions.hpp>

#include <ramie/scheduler/park_word.hpp>
#include <ramie/sync/condition_core.hpp>
#include <ramie/sync/conditional_core.hpp>
#include <ramie/sync/mutex_core.hpp>
#include <ramie/sync/once_core.hpp>
#include <ramie/sync/shared_mutex_core.hpp>

#include <memory>
#include <optional>

namespace ramie::model {
namespace {

using deadline = one_deadline<work_item>;
using record = detail::wait_record<work_item, provider>;

// As a fiber it has left its stack, where `saved` is, before it may be woken.
struct waiter : work_item {
  waiter() : work_item(work_kind::thread) {}
  detail::park_word<provider> word;
  plain<int> saved = 0;
  plain<int> woken = 0;

  void park() {
    word.park();
    require(woken == 1, "goes on and was not woken");
    saved = 0;
    woken = 0;
  }
};

void go_on(work_item& item) {
  auto& woken = static_cast<waiter&>(item);
  require(woken.saved == 1, "woken before it had left its stack");
  require(woken.woken == 0, "woken twice");
  woken.woken = 1;
  woken.word.unpark();
}

// wait_in() of a fiber without limits.
template <class Object, class Node>
void wait_in(Object&& object, Node& mine, waiter& me) {
  mine.set_waiter(me);
  me.saved = 1;
  if (object.enqueue(mine)) {
    me.park();
  } else {
    me.saved = 0;
  }
}

// Between enqueue and withdraw, as wait_until().
wake_reason wait_for(record& mine, waiter& me, deadline& limit) {
  limit.set(mine);
  if (!mine.is_finished()) {
    me.saved = 1;
    if (mine.park()) {
      me.park();
    } else {
      me.saved = 0;
    }
  }
  limit.take_back();
  return mine.reason();
}

// wait_in() with a deadline.
template <class Object, class Node>
wake_reason wait_in(Object&& object, Node& mine, waiter& me, deadline& limit) {
  record of(me);
  mine.set_record(of);
  static_cast<void>(object.enqueue(mine));
  const wake_reason reason = wait_for(of, me, limit);
  if (reason != wake_reason::woken) object.withdraw(mine);
  return reason;
}

// ---- mutex ----

struct mutex_play {
  using core = detail::mutex_core<provider>;
  std::optional<core> lock{std::in_place};
  plain<int> inside = 0;
  plain<int> entered = 0;

  [[nodiscard]] bool enqueue(core::node& mine) { return lock->enqueue(mine); }
  void withdraw(core::node& mine) { lock->withdraw(mine, &go_on); }

  void take(waiter& me) {
    if (lock->lock_quickly() || lock->try_lock()) return;
    const auto mine = std::make_unique<core::node>();
    do wait_in(*this, *mine, me);
    while (!mine->owns() && !lock->try_lock_in_turn(*mine));
  }
  [[nodiscard]] bool take(waiter& me, deadline& limit) {
    if (lock->try_lock()) return true;
    const auto mine = std::make_unique<core::node>();
    do {
      if (wait_in(*this, *mine, me, limit) != wake_reason::woken) return false;
    } while (!mine->owns() && !lock->try_lock_in_turn(*mine));
    return true;
  }
  void be_inside() {
    inside = inside + 1;
    require(inside == 1, "two are inside");
    entered = entered + 1;
    inside = inside - 1;
  }
  void give() {
    if (!lock->unlock_quickly()) require(lock->unlock(&go_on), "nobody owned it");
  }
  void give_to_next() {
    core::node* next = nullptr;
    require(lock->unlock_to_next(next) != core::handed::not_held, "nobody owned it");
    if (next != nullptr) next->finish(&go_on);
  }
  void use(waiter& me) {
    take(me);
    be_inside();
    give();
  }
  void use(waiter& me, deadline& limit) {
    if (!take(me, limit)) return;
    be_inside();
    give();
  }
  void be_left() const {
    require(!lock->is_held(), "it is held for ever");
    require(!lock->has_waiters(), "a waiter was left behind");
  }
};

limits some_walks() { return {.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)}; }

}  // namespace

subject mutex_subject() {
  return {"sync/mutex_core.hpp",
          {{"two",
            [] {
              mutex_play of;
              waiter first, second;
              threads([&] { of.use(first); }, [&] { of.use(second); });
              require(of.entered == 2, "somebody was not inside");
              of.be_left();
            }},
           {"two, of which the last destroys it",
            [] {
              mutex_play of;
              waiter first, second;
              const auto use = [&](waiter& me) {
                of.take(me);
                of.be_inside();
                const bool last = of.entered == 2;
                of.give();
                if (last) of.lock.reset();
              };
              threads([&] { use(first); }, [&] { use(second); });
            }},
           {"one that tries",
            [] {
              mutex_play of;
              waiter first;
              threads([&] { of.use(first); },
                      [&] {
                        if (!of.lock->try_lock()) return;
                        of.be_inside();
                        of.give();
                      });
              of.be_left();
            }},
           {"a turn, and one that overtakes",
            [] {
              mutex_play of;
              waiter first, second;
              threads(
                  [&] {
                    of.use(first);
                    of.use(first);
                  },
                  [&] { of.use(second); });
              require(of.entered == 3, "somebody was not inside");
              of.be_left();
            },
            {.how = search::bounded, .preemptions = 3, .old_values = 1}},
           {"one that may give up",
            [] {
              mutex_play of;
              waiter first, second;
              deadline limit;
              threads([&] { of.use(first); }, [&] { of.use(second, limit); }, [&] { limit.expire(&go_on); });
              of.be_left();
            },
            {.how = search::bounded, .preemptions = 3, .old_values = 1}},
           {"handed to the next",
            [] {
              mutex_play of;
              waiter first, second;
              deadline limit;
              threads(
                  [&] {
                    of.take(first);
                    of.be_inside();
                    of.give_to_next();
                  },
                  [&] { of.use(second, limit); }, [&] { limit.expire(&go_on); });
              of.be_left();
            },
            {.how = search::bounded, .preemptions = 3, .old_values = 1}},
           {"one that may give up, with the turn, before one that does not",
            [] {
              mutex_play of;
              waiter first, second, third;
              deadline limit;
              threads(
                  [&] {
                    of.use(first);
                    of.use(first);
                    limit.expire(&go_on);
                    of.use(first);
                  },
                  [&] { of.use(second, limit); }, [&] { of.use(third); });
              of.be_left();
            },
            some_walks()},
           {"four, of which two hand it over",
            [] {
              mutex_play of;
              waiter first, second, third, fourth;
              const auto hand_over = [&](waiter& me) {
                of.take(me);
                of.be_inside();
                of.give_to_next();
              };
              threads([&] { of.use(first); }, [&] { of.use(second); }, [&] { hand_over(third); },
                      [&] { hand_over(fourth); });
              require(of.entered == 4, "somebody was not inside");
              of.be_left();
            },
            some_walks()}}};
}

// ---- shared_mutex ----

namespace {

struct shared_play {
  using core = detail::shared_mutex_core<provider>;
  core lock;
  plain<int> value = 0;  // written by one, or read by many: else it is a race

  struct as_writer {
    core& of;
    [[nodiscard]] bool enqueue(core::node& mine) const { return of.enqueue(mine); }
    void withdraw(core::node& mine) const { of.withdraw(mine, &go_on); }
  };
  struct as_reader {
    core& of;
    [[nodiscard]] bool enqueue(core::node& mine) const { return of.enqueue_shared(mine); }
    void withdraw(core::node& mine) const { of.withdraw_shared(mine); }
  };

  void write_and_give() {
    value = value + 1;
    require(lock.unlock(&go_on), "nobody owned it");
  }
  void read_and_give() {
    static_cast<void>(static_cast<int>(value));
    require(lock.unlock_shared(&go_on), "nobody shared it");
  }
  void write(waiter& me) {
    if (!lock.try_lock()) {
      const auto mine = std::make_unique<core::node>();
      wait_in(as_writer{lock}, *mine, me);
    }
    write_and_give();
  }
  void write(waiter& me, deadline& limit) {
    if (!lock.try_lock()) {
      const auto mine = std::make_unique<core::node>();
      if (wait_in(as_writer{lock}, *mine, me, limit) != wake_reason::woken) return;
    }
    write_and_give();
  }
  void read(waiter& me) {
    if (!lock.try_lock_shared()) {
      const auto mine = std::make_unique<core::node>();
      wait_in(as_reader{lock}, *mine, me);
    }
    read_and_give();
  }
  void read(waiter& me, deadline& limit) {
    if (!lock.try_lock_shared()) {
      const auto mine = std::make_unique<core::node>();
      if (wait_in(as_reader{lock}, *mine, me, limit) != wake_reason::woken) return;
    }
    read_and_give();
  }
  void be_left() const {
    require(!lock.is_held(), "it is held for ever");
    require(!lock.has_waiters(), "a waiter was left behind");
  }
};

}  // namespace

subject shared_mutex_subject() {
  return {"sync/shared_mutex_core.hpp",
          {{"two writers",
            [] {
              shared_play of;
              waiter first, second;
              threads([&] { of.write(first); }, [&] { of.write(second); });
              require(of.value == 2, "a change is lost");
              of.be_left();
            }},
           {"a writer and a reader",
            [] {
              shared_play of;
              waiter first, second;
              threads([&] { of.write(first); }, [&] { of.read(second); });
              of.be_left();
            }},
           {"those that try",
            [] {
              shared_play of;
              threads(
                  [&] {
                    if (of.lock.try_lock()) of.write_and_give();
                  },
                  [&] {
                    if (of.lock.try_lock_shared()) of.read_and_give();
                  });
              of.be_left();
            }},
           {"two readers and a writer",
            [] {
              shared_play of;
              waiter first, second, third;
              threads([&] { of.write(first); }, [&] { of.read(second); }, [&] { of.read(third); });
              of.be_left();
            },
            {.how = search::bounded, .preemptions = 2, .old_values = 1}},
           {"a writer that may give up, and the reader behind it",
            [] {
              shared_play of;
              waiter first, second;
              deadline limit;
              require(of.lock.try_lock_shared(), "nobody has it");
              threads([&] { of.write(first, limit); }, [&] { limit.expire(&go_on); }, [&] { of.read(second); },
                      [&] { of.read_and_give(); });
              of.be_left();
            },
            some_walks()},
           {"a reader that may give up",
            [] {
              shared_play of;
              waiter first, second;
              deadline limit;
              threads([&] { of.write(first); }, [&] { limit.expire(&go_on); }, [&] { of.read(second, limit); });
              of.be_left();
            },
            {.how = search::bounded, .preemptions = 3, .old_values = 1}}}};
}

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
    if (reason != wake_reason::woken) lock.withdraw(*mine);
    return reason == wake_reason::woken;
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
