// The locks: one at a time is inside and sees what those before it have done; a waiter whose time is over has got
// nothing, and nothing is lost with it.
#include <model/scenarios/lock_waiter.hpp>

#include <ramie/sync/mutex_core.hpp>
#include <ramie/sync/shared_mutex_core.hpp>

#include <memory>
#include <optional>

namespace ramie::model {

using namespace locks;

namespace {

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

}  // namespace ramie::model
