// The turnstiles of a pipeline: turns in the order of tickets, and the next holder is told.
#include <model/scenarios/scenario.hpp>

#include <ramie/parallel/turnstile.hpp>
#include <ramie/scheduler/park_word.hpp>

namespace ramie::model {

subject turnstile_subject() {
  struct waiter {
    detail::park_word<provider> word;
  };
  struct passage {
    detail::turn_order<waiter, provider> turns;
    plain<int> passed = 0;  // by one at a time: else it is a race

    explicit passage(std::size_t holders) { turns.make_room(holders); }

    void hold(std::uint64_t ticket) {
      if (!turns.reached(ticket)) {
        waiter mine;
        if (turns.enqueue(ticket, mine)) mine.word.park();
      }
      require(passed == static_cast<int>(ticket), "not in the order of the tickets");
      passed = passed + 1;
      if (waiter* const next = turns.pass(ticket)) next->word.unpark();
    }
  };
  return {"parallel/turnstile.hpp",
          {{"two, one after the other",
            [] {
              passage one(2);
              threads([&] { one.hold(0); }, [&] { one.hold(1); });
              require(one.passed == 2, "somebody did not pass");
            }},
           {"three",
            [] {
              passage one(3);
              threads([&] { one.hold(0); }, [&] { one.hold(1); }, [&] { one.hold(2); });
              require(one.passed == 3, "somebody did not pass");
            }},
           {"one that comes again",
            [] {
              passage one(2);
              threads(
                  [&] {
                    one.hold(0);
                    one.hold(2);
                  },
                  [&] { one.hold(1); });
              require(one.passed == 3, "somebody did not pass");
            }},
           {"room for another, while one waits", [] {
              passage one(2);
              threads([&] { one.hold(0); }, [&] { one.hold(1); },
                      [&] {
                        one.turns.make_room(17);  // more than it had
                      });
              require(one.passed == 2, "somebody did not pass");
            }}}};
}

}  // namespace ramie::model
