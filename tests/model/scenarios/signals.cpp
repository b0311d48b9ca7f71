// Events, latches, barriers and futures: nobody goes on too early; what was done before is seen by those that go on,
// who may destroy the object at once; nobody is left behind.
#include <model/scenarios/listed_waiters.hpp>
#include <model/scenarios/scenario.hpp>

#include <ramie/sync/barrier_core.hpp>
#include <ramie/sync/event_core.hpp>
#include <ramie/sync/future_core.hpp>
#include <ramie/sync/latch_core.hpp>

#include <optional>

namespace ramie::model {

using enum std::memory_order;
using namespace listed;

subject event_subject() {
  using manual = detail::event_core<detail::event_kind::manual, provider>;
  using automatic = detail::event_core<detail::event_kind::automatic, provider>;
  return {"sync/event_core.hpp",
          {{"manual: one that waits, and destroys the event",
            [] {
              std::optional<manual> event(std::in_place);
              plain<int> before = 0;
              waiter me;
              threads(
                  [&] {
                    before = 1;
                    event->set(&go_on);
                  },
                  [&] {
                    if (!event->is_set_now()) wait(*event, me);
                    require(before == 1, "woken too early");
                    event.reset();
                  });
            }},
           {"manual: one that looks, and destroys the event",
            [] {
              std::optional<manual> event(std::in_place);
              plain<int> before = 0;
              threads(
                  [&] {
                    before = 1;
                    event->set(&go_on);
                  },
                  [&] {
                    if (!event->is_set_now()) return;
                    require(before == 1, "set too early");
                    event.reset();
                  });
            }},
           {"manual: two that wait, and two that set",
            [] {
              manual event;
              waiter first, second;
              threads([&] { event.set(&go_on); }, [&] { wait(event, first); },
                      [&] {
                        wait(event, second);
                        event.set(&go_on);
                      });
              require(event.is_set_now() && !event.has_waiters(), "a waiter was left behind");
            }},
           {"manual: reset beside set says what it has undone",
            [] {
              manual event;
              plain<int> before = 0;
              threads(
                  [&] {
                    before = 1;
                    event.set(&go_on);
                  },
                  [&] {
                    if (!event.take()) return;
                    require(before == 1, "reset without what it was set for");
                    require(!event.is_set_now(), "still set");
                  });
            }},
           {"manual: two calls of set that one wait stands for",
            [] {
              manual event;
              plain<int> before[2] = {0, 0};
              atomic<int> calls{0};
              const auto set = [&](int i) {
                before[i] = 1;
                event.set(&go_on);
                calls.fetch_add(1, relaxed);
              };
              threads([&] { set(0); }, [&] { set(1); },
                      [&] {
                        if (calls.load(relaxed) != 2) return;
                        if (!event.take()) return;
                        require(before[0] == 1 || before[1] == 1, "reset without what it was set for");
                      });
            }},
           {"manual: one that gives up",
            [] {
              manual event;
              plain<int> before = 0;
              waiter me;
              deadline limit;
              threads(
                  [&] {
                    before = 1;
                    event.set(&go_on);
                  },
                  [&] { limit.expire(&go_on); },
                  [&] {
                    if (wait(event, me, limit) == wake_reason::woken) require(before == 1, "woken too early");
                  });
              require(event.is_set_now() && !event.has_waiters(), "a node was left behind");
            }},
           {"automatic: one signal for two",
            [] {
              automatic event;
              waiter first, second;
              plain<int> before = 0;
              atomic<int> passed{0};
              const auto pass = [&](waiter& me) {
                wait(event, me);
                require(passed.fetch_add(1, relaxed) == 0 || before == 2, "two passed for one signal");
                if (before == 1) {
                  before = 2;
                  event.set(&go_on);
                }
              };
              threads(
                  [&] {
                    before = 1;
                    event.set(&go_on);
                  },
                  [&] { pass(first); }, [&] { pass(second); });
              require(!event.take() && !event.has_waiters(), "a signal too many");
            }},
           {"automatic: two that try",
            [] {
              automatic event;
              plain<int> before = 0;
              const auto attempt = [&] {
                if (event.take()) before = before + 1;
              };
              threads(
                  [&] {
                    before = 1;
                    event.set(&go_on);
                  },
                  attempt, attempt);
              attempt();
              require(before == 2, "not one of them");
            }},
           {"automatic: a signal and a deadline",
            [] {
              automatic event;
              waiter me;
              deadline limit;
              plain<int> got = 0;
              threads([&] { event.set(&go_on); }, [&] { limit.expire(&go_on); },
                      [&] { got = wait(event, me, limit) == wake_reason::woken ? 1 : 0; });
              require(event.take() == (got == 0), "the signal is with nobody, or with two");
              require(!event.has_waiters(), "a node was left behind");
            }},
           {"automatic: two signals, one that takes them back, and one that waits", [] {
              automatic event;
              waiter me;
              plain<int> taken = 0;
              threads(
                  [&] {
                    event.set(&go_on);
                    event.set(&go_on);
                  },
                  [&] {
                    taken = event.take() ? 1 : 0;
                    if (taken == 1) event.set(&go_on);
                  },
                  [&] { wait(event, me); });
              require(!event.has_waiters(), "a waiter was left behind");
            }}}};
}

subject latch_subject() {
  using core = detail::latch_core<provider>;
  struct play {
    explicit play(std::ptrdiff_t count) : object(std::in_place, count) {}
    std::optional<core> object;
    plain<int> before[2] = {0, 0};
    void count_down(int i) {
      before[i] = 1;
      require(object->add(-1, &go_on), "refused");
    }
    void await(waiter& me) {
      if (!object->is_zero()) wait(*object, me);
    }
    void require_all() const { require(before[0] == 1 && before[1] == 1, "woken too early"); }
  };
  return {"sync/latch_core.hpp",
          {{"two that count down, and one that destroys the latch",
            [] {
              play of(2);
              waiter me;
              threads([&] { of.count_down(0); }, [&] { of.count_down(1); },
                      [&] {
                        of.await(me);
                        of.require_all();
                        of.object.reset();
                      });
            }},
           {"one that looks, and destroys the latch",
            [] {
              play of(2);
              threads([&] { of.count_down(0); }, [&] { of.count_down(1); },
                      [&] {
                        if (!of.object->is_zero()) return;
                        of.require_all();
                        of.object.reset();
                      });
            }},
           {"one that looks while another one waits",
            [] {
              play of(1);
              waiter me;
              of.before[1] = 1;
              threads([&] { of.count_down(0); }, [&] { of.await(me); },
                      [&] {
                        if (of.object->is_zero()) of.require_all();
                      });
              require(of.object->is_zero() && !of.object->has_waiters(), "a waiter was left behind");
            }},
           {"two that arrive and wait",
            [] {
              play of(2);
              waiter first, second;
              const auto arrive = [&](int i, waiter& me) {
                of.count_down(i);
                of.await(me);
                of.require_all();
              };
              threads([&] { arrive(0, first); }, [&] { arrive(1, second); });
              require(!of.object->has_waiters(), "a waiter was left behind");
            }},
           {"one that gives up, and destroys the latch where it does not",
            [] {
              play of(1);
              of.before[1] = 1;
              waiter me;
              deadline limit;
              threads([&] { of.count_down(0); }, [&] { limit.expire(&go_on); },
                      [&] {
                        if (wait(*of.object, me, limit) != wake_reason::woken) return;
                        of.require_all();
                        of.object.reset();
                      });
              if (of.object) require(of.object->is_zero() && !of.object->has_waiters(), "a node was left behind");
            }},
           {"no further than zero",
            [] {
              play of(1);
              atomic<int> refused{0};
              const auto down = [&] {
                if (!of.object->add(-1, &go_on)) refused.fetch_add(1, relaxed);
              };
              threads(down, down);
              require(refused.load(relaxed) == 1 && of.object->is_zero(), "below zero");
            }},
           {"a group that is used again before those that waited have gone on", [] {
              play of(1);
              waiter me;
              threads(
                  [&] {
                    of.count_down(0);
                    require(of.object->add(1, &go_on), "refused");
                    of.count_down(1);
                  },
                  [&] {
                    of.await(me);
                    require(of.before[0] == 1, "woken too early");
                  });
              require(of.object->is_zero() && !of.object->has_waiters(), "a waiter was left behind");
            }}}};
}

subject barrier_subject() {
  using core = detail::barrier_core<provider>;
  struct play {
    explicit play(std::ptrdiff_t parties) : object(std::in_place, parties) {}
    std::optional<core> object;
    plain<int> phases = 0;  // of the completion function
    plain<int> before[3] = {0, 0, 0};
    core::phase arrive(int i, bool drops = false) {
      core::phase mine = 0;
      before[i] = before[i] + 1;
      require(object->arrive(1, drops, mine, [this] { complete(); }, &go_on), "refused");
      return mine;
    }
    void complete() { phases = phases + 1; }
    void await(waiter& me, core::phase mine) {
      if (!object->is_over(mine)) wait<core::node>(*object, me, mine);
    }
    void arrive_and_wait(int i, waiter& me) { await(me, arrive(i)); }
  };
  return {"sync/barrier_core.hpp",
          {{"two parties, two phases",
            [] {
              play of(2);
              waiter first, second;
              threads(
                  [&] {
                    of.arrive_and_wait(0, first);
                    require(of.phases == 1, "went on before the phase was complete");
                    static_cast<void>(of.arrive(0));
                  },
                  [&] {
                    of.arrive_and_wait(1, second);
                    require(of.phases == 1, "went on before the phase was complete");
                    static_cast<void>(of.arrive(1));
                  });
              require(of.phases == 2 && of.before[0] == 2 && of.before[1] == 2, "a phase was lost");
              require(!of.object->has_waiters(), "a waiter was left behind");
            }},
           {"three parties, and one of them destroys the barrier",
            [] {
              play of(3);
              waiter me;
              const auto arrive = [&](int i) { static_cast<void>(of.arrive(i)); };
              threads([&] { arrive(0); }, [&] { arrive(1); },
                      [&] {
                        of.arrive_and_wait(2, me);
                        require(of.phases == 1 && of.before[0] == 1 && of.before[1] == 1, "went on too early");
                        of.object.reset();
                      });
            }},
           {"one that waits for another's arrival, beside two that arrive",
            [] {
              play of(2);
              waiter me;
              const auto arrive = [&](int i) { static_cast<void>(of.arrive(i)); };
              threads([&] { arrive(0); }, [&] { arrive(1); },
                      [&] {
                        of.await(me, 0);
                        require(of.phases == 1 && of.before[0] == 1 && of.before[1] == 1, "went on too early");
                      });
              require(!of.object->has_waiters(), "a waiter was left behind");
            }},
           {"one of two drops out",
            [] {
              play of(2);
              waiter me[2];
              threads([&] { static_cast<void>(of.arrive(0, true)); },
                      [&] {
                        of.arrive_and_wait(1, me[0]);
                        require(of.phases == 1 && of.before[0] == 1, "went on too early");
                        of.arrive_and_wait(1, me[1]);
                        require(of.phases == 2, "a phase without its completion");
                      });
            }},
           {"both drop out",
            [] {
              play of(2);
              const auto drop = [&](int i) { static_cast<void>(of.arrive(i, true)); };
              threads([&] { drop(0); }, [&] { drop(1); });
              core::phase mine = 0;
              require(!of.object->arrive(1, false, mine, [] {}, &go_on), "somebody is still expected");
              require(of.phases == 1, "a phase without its completion");
            }},
           {"one that gives up", [] {
              play of(2);
              waiter me;
              deadline limit;
              threads([&] { static_cast<void>(of.arrive(0)); }, [&] { limit.expire(&go_on); },
                      [&] {
                        const core::phase mine = of.arrive(1);
                        if (wait<core::node>(*of.object, me, limit, mine) != wake_reason::woken) return;
                        require(of.phases == 1 && of.before[0] == 1, "went on too early");
                      });
              require(of.phases == 1 && !of.object->has_waiters(), "a node was left behind");
            }}}};
}

subject future_subject() {
  using core = detail::future_core<provider>;
  // A state, which is freed by the last of its owners.
  struct state : core {
    plain<int> value = 0;
    plain<int> used = 0;
    void give(int given) {
      value = given;
      publish(&go_on);
    }
    static void drop(state* mine) {
      if (mine->drop_owner()) delete mine;
    }
  };
  return {"sync/future_core.hpp",
          {{"a value, for one that waits",
            [] {
              auto* const shared = new state;
              shared->add_owner();
              waiter me;
              threads(
                  [&] {
                    require(shared->take_right(), "given before");
                    shared->give(42);
                    state::drop(shared);
                  },
                  [&] {
                    if (!shared->is_ready()) wait(shared->done(), me);
                    require(shared->value == 42, "ready without its value");
                    state::drop(shared);
                  });
            }},
           {"the last owner frees what both have used",
            [] {
              auto* const shared = new state;
              shared->add_owner();
              atomic<int> freed{0};
              plain<int> mine[2] = {0, 0};
              const auto use = [&](int i) {
                mine[i] = 1;
                static_cast<void>(shared->used + 0);
                if (shared->drop_owner()) {
                  freed.fetch_add(1, relaxed);
                  shared->used = 1;
                  require(mine[0] == 1 && mine[1] == 1, "freed while it is used");
                  delete shared;
                }
              };
              threads([&] { use(0); }, [&] { use(1); });
              require(freed.load(relaxed) == 1, "not freed once");
            }},
           {"two owners that make others",
            [] {
              auto* const shared = new state;
              shared->add_owner();
              plain<int> freed = 0;
              const auto use = [&] {
                shared->add_owner();
                const bool first = shared->drop_owner();
                require(!first, "freed while it is used");
                if (shared->drop_owner()) freed = freed + 1;
              };
              threads(use, use);
              require(freed == 1, "not freed once");
            }},
           {"two that give a value, of which the first may fail", [] {
              state shared;
              waiter me;
              atomic<int> refused{0};
              threads(
                  [&] {
                    if (!shared.take_right()) return;
                    shared.value = -1;  // and its copy throws
                    shared.give_back_right();
                  },
                  [&] {
                    if (!shared.take_right()) {
                      refused.store(1, relaxed);
                      return;
                    }
                    shared.give(42);
                  },
                  [&] {
                    if (shared.is_ready()) require(shared.value == 42, "ready without its value");
                  });
              require(shared.is_ready() == (refused.load(relaxed) == 0), "a value was lost");
            }}}};
}

}  // namespace ramie::model
