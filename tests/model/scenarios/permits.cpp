// What is counted and handed over through lists of waiters: each waiter gets what it waits for once, or nothing; what
// was done before is seen by those that get it, who may destroy the object at once.
#include <model/scenarios/listed_waiters.hpp>
#include <model/scenarios/scenario.hpp>

#include <support/repetitions.hpp>

#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/semaphore_core.hpp>

#include <optional>

namespace ramie::model {

using enum std::memory_order;
using namespace listed;

subject locked_word_subject() {
  using word = detail::locked_word<provider>;
  struct guarded {
    word mutex{0};
    plain<int> count = 0;
    void add() {
      const std::uint64_t bits = mutex.lock();
      count = count + 1;
      mutex.unlock(bits + 2);
    }
  };
  struct guarded_list {
    word mutex{0};
    detail::wait_list<provider> list;
    [[nodiscard]] bool enqueue(node& mine) {
      const std::uint64_t bits = mutex.lock();
      list.push_back(mine);
      mutex.unlock(bits);
      return true;
    }
    void withdraw(node& mine) {
      const std::uint64_t bits = mutex.lock();
      list.remove(mine);
      mutex.unlock(bits);
    }
    // Returns whether somebody got something.
    bool give() {
      const std::uint64_t bits = mutex.lock();
      node* const next = list.pop_claimed();
      mutex.unlock(bits);
      if (next != nullptr) next->finish(&go_on);
      return next != nullptr;
    }
  };
  // In the list from the beginning, until it gets something or the time is over.
  struct limited_waiter {
    explicit limited_waiter(guarded_list& of) {
      mine.set_record(wait);
      static_cast<void>(of.enqueue(mine));
      limit.set(wait);
    }
    void go_on_when_over(guarded_list& of) {
      me.saved = 1;
      if (wait.park()) me.word.park();
      limit.take_back();
      has_got = wait.reason() == wake_reason::woken;
      if (!has_got) of.withdraw(mine);
    }
    waiter me;
    node mine;
    record wait{me};
    deadline limit;
    bool has_got = false;
  };
  return {"sync/locked_word.hpp",
          {{"two threads, twice each",
            [] {
              guarded of;
              const auto twice = [&] {
                of.add();
                of.add();
              };
              threads(twice, twice);
              require(of.count == 4 && of.mutex.lock() == 8, "a critical section was lost");
            }},
           {"three threads",
            [] {
              guarded of;
              const auto once = [&] { of.add(); };
              threads(once, once, once);
              require(of.count == 3, "a critical section was lost");
            }},
           {"one that has seen what the bits say destroys the object",
            [] {
              std::optional<guarded> of(std::in_place);
              plain<int> before = 0;
              threads(
                  [&] {
                    before = 1;
                    of->add();
                  },
                  [&] {
                    if (of->mutex.load(acquire) != 2) return;
                    require(before == 1, "the bits came before what they say");
                    of.reset();
                  });
            }},
           {"a change beside the lock",
            [] {
              guarded of;
              const auto change = [&] {
                std::uint64_t bits = of.mutex.load(relaxed);
                if ((bits & word::locked) == 0) static_cast<void>(of.mutex.change(bits, bits + 100, relaxed));
              };
              threads([&] { of.add(); }, change, [&] { of.add(); });
              const std::uint64_t bits = of.mutex.lock();
              require(of.count == 2 && (bits == 4 || bits == 104), "a change was lost");
            }},
           {"a list from which one is taken while it gives up",
            [] {
              guarded_list of;
              limited_waiter only(of);
              plain<int> served = 0;
              threads([&] { only.go_on_when_over(of); }, [&] { only.limit.expire(&go_on); },
                      [&] { served = of.give() ? 1 : 0; });
              require(only.has_got == (served == 1), "it has got something and does not know, or the reverse");
              require(of.list.empty(), "a node was left behind");
            }},
           {"the middle one of three gives up", [] {
              guarded_list of;
              waiter first, third;
              node before, behind;
              before.set_waiter(first);
              behind.set_waiter(third);
              first.saved = third.saved = 1;
              static_cast<void>(of.enqueue(before));
              limited_waiter second(of);
              static_cast<void>(of.enqueue(behind));
              plain<int> served[2] = {0, 0};
              threads([&] { second.go_on_when_over(of); }, [&] { second.limit.expire(&go_on); },
                      [&] {
                        for (auto& each : served) each = of.give() ? 1 : 0;
                      });
              require(served[0] == 1 && served[1] == 1 && first.woken == 1, "not the first one");
              require(third.woken == (second.has_got ? 0 : 1), "one was passed over, or two were served");
              require(of.give() == second.has_got && third.woken == 1 && of.list.empty(), "one was lost");
            }}}};
}

subject semaphore_subject() {
  using core = detail::semaphore_core<provider>;
  struct play {
    explicit play(std::ptrdiff_t count) : object(std::in_place, count) {}
    std::optional<core> object;
    plain<int> before[2] = {0, 0};
    void release(int i, std::ptrdiff_t amount = 1, std::ptrdiff_t most = core::max) {
      before[i] = 1;
      require(object->release(amount, most, &go_on), "refused");
    }
    void acquire(waiter& me) {
      if (!object->try_acquire()) wait(*object, me);
    }
    wake_reason acquire(waiter& me, deadline& limit) {
      if (object->try_acquire()) return wake_reason::woken;
      return wait(*object, me, limit);
    }
  };
  return {"sync/semaphore_core.hpp",
          {{"a permit, and the one that waits for it destroys the semaphore",
            [] {
              play of(0);
              waiter me;
              threads([&] { of.release(0); },
                      [&] {
                        of.acquire(me);
                        require(of.before[0] == 1, "a permit without what it stands for");
                        of.object.reset();
                      });
            }},
           {"one that only tries",
            [] {
              play of(0);
              threads([&] { of.release(0); },
                      [&] {
                        if (!of.object->try_acquire()) return;
                        require(of.before[0] == 1, "a permit without what it stands for");
                        require(!of.object->try_acquire(), "two permits of one");
                        of.object.reset();
                      });
            }},
           {"a mutex of two",
            [] {
              play of(1);
              waiter first, second;
              plain<int> inside = 0;
              const auto once = [&](waiter& me) {
                of.acquire(me);
                inside = inside + 1;
                require(of.object->release(1, 1, &go_on), "above the most");
              };
              threads([&] { once(first); }, [&] { once(second); });
              require(inside == 2 && !of.object->has_waiters() && of.object->try_acquire(), "a permit was lost");
            }},
           {"two permits in one release, for two",
            [] {
              play of(0);
              waiter first, second;
              const auto once = [&](waiter& me) {
                of.acquire(me);
                require(of.before[0] == 1, "a permit without what it stands for");
              };
              threads([&] { of.release(0, 2); }, [&] { once(first); }, [&] { once(second); });
              require(!of.object->has_waiters() && !of.object->try_acquire(), "one too many");
            }},
           {"two releases of one permit each, for one",
            [] {
              play of(0);
              waiter me;
              threads([&] { of.release(0); }, [&] { of.release(1); }, [&] { of.acquire(me); });
              require(of.object->try_acquire() && !of.object->try_acquire(), "a permit was lost");
            }},
           {"a permit and a deadline",
            [] {
              play of(0);
              waiter me;
              deadline limit;
              plain<int> got = 0;
              threads([&] { of.release(0); }, [&] { limit.expire(&go_on); },
                      [&] { got = of.acquire(me, limit) == wake_reason::woken ? 1 : 0; });
              require(of.object->try_acquire() == (got == 0), "the permit is with nobody, or with two");
              require(!of.object->has_waiters(), "a node was left behind");
            }},
           {"a permit for one that gives up, and one that does not",
            [] {
              play of(0);
              waiter first, second;
              deadline limit;
              plain<int> got = 0;
              threads([&] { got = of.acquire(first, limit) == wake_reason::woken ? 1 : 0; },
                      [&] {
                        limit.expire(&go_on);
                        of.release(0);
                      },
                      [&] {
                        of.release(1);
                        of.acquire(second);
                      });
              require(of.object->try_acquire() == (got == 0), "a permit is with nobody, or with two");
            },
            {.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)}},
           {"no more than the most", [] {
              play of(0);
              atomic<int> refused{0};
              const auto give = [&] {
                if (!of.object->release(1, 1, &go_on)) refused.fetch_add(1, relaxed);
              };
              threads(give, give);
              require(refused.load(relaxed) == 1 && of.object->try_acquire() && !of.object->try_acquire(),
                      "more than the most");
            }}}};
}

}  // namespace ramie::model
