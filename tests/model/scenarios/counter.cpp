// The counter: every waiter is woken once, when its target is reached and not before, sees all that was done before the
// decrements, and may destroy the counter at once.
#include <model/scenarios/one_deadline.hpp>
#include <model/scenarios/scenario.hpp>

#include <support/repetitions.hpp>

#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/wait_record.hpp>
#include <ramie/sync/counter_core.hpp>

#include <memory>
#include <optional>

namespace ramie::model {
namespace {

using core = detail::counter_core<provider>;

// A waiter: as a fiber it has left its stack, where `saved` is, before it may be woken.
struct waiter : work_item {
  waiter() : work_item(work_kind::thread) {}
  detail::park_word<provider> word;
  plain<int> saved = 0;
  plain<int> woken = 0;
};

void go_on(work_item& item) {
  auto& woken = static_cast<waiter&>(item);
  require(woken.saved == 1, "woken before it had left its stack");
  require(woken.woken == 0, "woken twice");
  woken.woken = 1;
  woken.word.unpark();
}

struct frame_of_wait {
  frame_of_wait(waiter& who, std::int64_t target) : record(who), arm(target, record) {}
  core::record record;
  core::arm arm;
};

using deadline = one_deadline<work_item>;

struct play {
  explicit play(std::int64_t count) : counter(std::in_place, count) {}

  std::optional<core> counter;
  plain<int> done[3] = {0, 0, 0};

  void add(std::int64_t amount) {
    const core::reached_waiters reached = counter->add(amount);
    core::finish_each(reached.arms, &go_on);
    core::for_each_group(reached.groups, [](core::place& group) { detail::wake_each<provider>(group.bundle, &go_on); });
  }
  void decrement(int i) {
    done[i] = 1;
    add(-1);
  }
  // As counter::wait does it. `me` outlives the wait; the place does not.
  void wait(waiter& me, std::int64_t target) {
    if (counter->reached(target)) return;
    core::place mine(target, nullptr);
    me.saved = 1;
    if (counter->enqueue(mine, me)) me.word.park();
  }
  // The same, for somebody who may give up: `limit` is where a deadline finds the record.
  wake_reason wait_or_give_up(waiter& me, std::int64_t target, deadline& limit) {
    if (counter->reached(target)) return wake_reason::woken;
    const auto frame = std::make_unique<frame_of_wait>(me, target);
    if (!counter->enqueue(frame->arm)) return wake_reason::woken;
    limit.set(frame->record);
    me.saved = 1;
    if (frame->record.park()) me.word.park();
    limit.take_back();
    const wake_reason reason = frame->record.reason();
    if (reason != wake_reason::woken) counter->withdraw(frame->arm);
    return reason;
  }
};

}  // namespace

subject counter_subject() {
  return {"sync/counter_core.hpp",
          {{"one waiter, which destroys the counter",
            [] {
              play of(1);
              waiter me;
              threads([&] { of.decrement(0); },
                      [&] {
                        of.wait(me, 0);
                        require(of.done[0] == 1, "woken too early");
                        of.counter.reset();
                      });
            }},
           {"one waiter for two decrements, which destroys the counter",
            [] {
              play of(2);
              waiter me;
              threads([&] { of.decrement(0); }, [&] { of.decrement(1); },
                      [&] {
                        of.wait(me, 0);
                        require(of.done[0] == 1 && of.done[1] == 1, "woken too early");
                        of.counter.reset();
                      });
            }},
           {"two waiters for one value",
            [] {
              play of(1);
              waiter first, second;
              const auto wait = [&](waiter& me) {
                of.wait(me, 0);
                require(of.done[0] == 1, "woken too early");
              };
              threads([&] { of.decrement(0); }, [&] { wait(first); }, [&] { wait(second); });
              require(of.counter->value() == 0 && !of.counter->has_waiters(), "a waiter was left behind");
            }},
           {"two waiters for two values",
            [] {
              play of(2);
              waiter first, second;
              threads(
                  [&] {
                    of.decrement(0);
                    of.decrement(1);
                  },
                  [&] {
                    of.wait(first, 1);
                    require(of.done[0] == 1, "woken too early");
                  },
                  [&] {
                    of.wait(second, 0);
                    require(of.done[0] == 1 && of.done[1] == 1, "woken too early");
                  });
            }},
           {"two waiters for two values, two that decrement",
            [] {
              play of(2);
              waiter first, second;
              threads([&] { of.decrement(0); }, [&] { of.decrement(1); }, [&] { of.wait(first, 1); },
                      [&] {
                        of.wait(second, 0);
                        require(of.done[0] == 1 && of.done[1] == 1, "woken too early");
                      });
              require(of.counter->value() == 0 && !of.counter->has_waiters(), "a waiter was left behind");
            },
            {.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)}},
           {"one that may give up, and destroys the counter where it does not",
            [] {
              play of(1);
              waiter me;
              deadline limit;
              threads([&] { of.decrement(0); }, [&] { limit.expire(&go_on); },
                      [&] {
                        if (of.wait_or_give_up(me, 0, limit) != wake_reason::woken) return;
                        require(of.done[0] == 1, "woken too early");
                        of.counter.reset();
                      });
              if (of.counter) require(of.counter->value() == 0 && !of.counter->has_waiters(), "an arm was left behind");
            }},
           {"one that may give up beside one that does not",
            [] {
              play of(1);
              waiter first, second;
              deadline limit;
              threads([&] { of.decrement(0); },
                      [&] {
                        limit.expire(&go_on);
                        of.wait(second, 0);
                        require(of.done[0] == 1, "woken too early");
                      },
                      [&] { static_cast<void>(of.wait_or_give_up(first, 0, limit)); });
              require(of.counter->value() == 0 && !of.counter->has_waiters(), "a waiter was left behind");
            }},
           {"up and down beside a waiter",
            [] {
              play of(1);
              waiter me;
              threads(
                  [&] {
                    of.add(1);
                    of.decrement(0);
                    of.decrement(1);
                  },
                  [&] {
                    of.wait(me, 0);
                    require(of.done[0] == 1 && of.done[1] == 1, "woken too early");
                    of.counter.reset();
                  });
            }},
           {"somebody who only looks, and then destroys the counter", [] {
              play of(2);
              waiter me;
              threads([&] { of.decrement(0); }, [&] { of.decrement(1); }, [&] { of.wait(me, 0); },
                      [&] {
                        if (!of.counter->reached(0)) return;
                        require(of.done[0] == 1 && of.done[1] == 1, "reached too early");
                      });
            }}}};
}

}  // namespace ramie::model
