// Scopes: what ends them, what leaves them, and that nobody stays behind.
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>

#include <ramie/job/job.hpp>
#include <ramie/sync/scope.hpp>
#include <ramie/sync/semaphore.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

// 0: the scopes are a thread's that runs no fiber; its children are fibers of the process's runtime.
class Scope : public ::testing::TestWithParam<unsigned> {
 protected:
  template <class Function>
  void play(Function&& function) {
    if (GetParam() != 0) return run(with_workers(GetParam()), std::forward<Function>(function));
    scheduler_init(2);
    function();
    scheduler_run();
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Scope, ::testing::Values(0U, 1U, 4U));

struct first_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct second_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void wait_for_ever() {
  binary_semaphore never(0);
  never.acquire();
}

TEST_P(Scope, ChildrenEndBeforeIt) {
  play([] {
    std::atomic<int> ended = 0;
    struct counting {
      std::atomic<int>* of;
      ~counting() {
        if (of != nullptr) ++*of;
      }
      explicit counting(std::atomic<int>& all) : of(&all) {}
      counting(counting&& other) noexcept : of(std::exchange(other.of, nullptr)) {}
    };
    with_scope([&](scope& s) {
      for (int i = 0; i < 20; ++i) {
        s.spawn([&, captured = counting(ended)] {
          static_cast<void>(sleep_for(100us));
          ++ended;
        });
      }
    });
    EXPECT_EQ(ended, 40);
  });
}

TEST_P(Scope, ChildrenHaveResults) {
  play([] {
    const int sum = with_scope([](scope& s) {
      int kept = 5;
      auto number = s.spawn([] { return 30; });
      auto reference = s.spawn([&kept]() -> int& { return kept; });
      auto moved = s.spawn([] { return std::make_unique<int>(7); });
      auto nothing = s.spawn([] {});
      nothing.join();
      EXPECT_FALSE(nothing.joinable());
      EXPECT_THROW(nothing.join(), misuse);
      EXPECT_EQ(&reference.join(), &kept);
      return number.join() + *moved.join();
    });
    EXPECT_EQ(sum, 37);
    int here = 0;
    int& same = with_scope([&](scope&) -> int& { return here; });
    EXPECT_EQ(&same, &here);
  });
}

TEST_P(Scope, AHandleMayOutliveIt) {
  play([] {
    child<std::string> late;
    with_scope([&](scope& s) { late = s.spawn([] { return std::string(100, 'x'); }); });
    EXPECT_TRUE(late.done());
    EXPECT_EQ(late.join(), std::string(100, 'x'));
  });
}

TEST_P(Scope, TheFirstFailureCancelsTheOthersAndLeavesAsItself) {
  play([] {
    std::atomic<int> were_cancelled = 0;
    const auto waits = [&] {
      try {
        wait_for_ever();
      } catch (const cancelled& why) {
        EXPECT_EQ(why.reason(), wake_reason::cancelled);
        ++were_cancelled;
        throw;
      }
    };
    EXPECT_THROW(with_scope([&](scope& s) {
                   for (int i = 0; i < 5; ++i) s.spawn(waits);
                   s.spawn([] { throw first_error("it"); });
                   waits();
                 }),
                 first_error);
    EXPECT_EQ(were_cancelled, 6);
  });
}

TEST_P(Scope, AFailingBodyCancelsTheChildren) {
  play([] {
    bool ended = false;
    EXPECT_THROW(with_scope([&](scope& s) {
                   counter begun(1);
                   s.spawn([&] {
                     const struct last {
                       bool& of;
                       ~last() { of = true; }
                     } at_end{ended};
                     wait_for_ever();
                   });
                   throw first_error("body");
                 }),
                 first_error);
    EXPECT_TRUE(ended);
  });
}

TEST_P(Scope, AFailureThatAJoinThrowsAgainIsOne) {
  play([] {
    EXPECT_THROW(with_scope([](scope& s) {
                   const shield whatever_has_failed;
                   auto fails = s.spawn([] { throw first_error("it"); });
                   auto joins = s.spawn([&] {
                     const shield until_it_has_ended;
                     fails.join();
                   });
                   joins.join();
                 }),
                 first_error);
  });
}

TEST_P(Scope, AllFailuresAreReachable) {
  play([] {
    try {
      with_scope([](scope& s) {
        counter all_there(3);
        const auto meet = [&] {
          const shield here;
          all_there.decrement();
          wait_for_counter(all_there);
        };
        auto one = s.spawn([&] {
          meet();
          throw first_error("one");
        });
        auto two = s.spawn([&] {
          meet();
          throw second_error("two");
        });
        meet();
        const shield until_they_are_gone;
        EXPECT_THROW(one.join(), first_error);
        EXPECT_THROW(two.join(), second_error);
        throw 3;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const scope_failures& failed) {
      int firsts = 0, seconds = 0, numbers = 0;
      for (const std::exception_ptr& each : failed.all()) {
        try {
          std::rethrow_exception(each);
        } catch (const first_error&) {
          ++firsts;
        } catch (const second_error&) {
          ++seconds;
        } catch (int) {
          ++numbers;
        }
      }
      EXPECT_EQ(firsts, 1);
      EXPECT_EQ(seconds, 1);
      EXPECT_EQ(numbers, 1);
      EXPECT_NE(std::string(failed.what()).find("3 failures in a scope"), std::string::npos) << failed.what();
    }
  });
}

TEST_P(Scope, RequestStopIsNoFailure) {
  play([] {
    EXPECT_EQ(with_scope([](scope& s) {
                for (int i = 0; i < 3; ++i) s.spawn(&wait_for_ever);
                s.request_stop();
                EXPECT_TRUE(s.is_cancelled());
                EXPECT_TRUE(s.stop_token().stop_requested());
                EXPECT_THROW(s.spawn([] {}), cancelled);
                EXPECT_THROW(throw_if_cancelled(), cancelled);
                return 4;
              }),
              4);
    EXPECT_NO_THROW(throw_if_cancelled());
  });
}

TEST_P(Scope, StopsFromOutside) {
  play([] {
    std::stop_source outside;
    std::thread stopper([&] {
      std::this_thread::sleep_for(1ms);
      outside.request_stop();
    });
    EXPECT_THROW(with_scope({.limits = outside.get_token()}, [](scope& s) { s.spawn(&wait_for_ever); }), cancelled);
    stopper.join();
    // It had been stopped before.
    EXPECT_THROW(with_scope({.limits = outside.get_token()}, [](scope&) { wait_for_ever(); }), cancelled);
    // What needs no wait is not cancelled.
    EXPECT_EQ(with_scope({.limits = outside.get_token()}, [](scope&) { return 1; }), 1);
  });
}

TEST_P(Scope, DeadlinesNest) {
  play([] {
    const auto begin = std::chrono::steady_clock::now();
    // The outer one is earlier.
    try {
      with_scope({.limits = 5ms}, [](scope&) {
        EXPECT_THROW(with_scope({.limits = 10min},
                                [](scope& inner) {
                                  inner.spawn(&wait_for_ever);
                                  wait_for_ever();
                                }),
                     cancelled);
        wait_for_ever();
      });
      ADD_FAILURE() << "no deadline";
    } catch (const cancelled& why) {
      EXPECT_EQ(why.reason(), wake_reason::timed_out);
    }
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 5ms);
    // The inner one is earlier: the outer scope goes on.
    with_scope({.limits = 10min}, [](scope& outer) {
      try {
        with_scope({.limits = 1ms}, [](scope& inner) { inner.spawn(&wait_for_ever); });
        ADD_FAILURE() << "no deadline";
      } catch (const cancelled& why) {
        EXPECT_EQ(why.reason(), wake_reason::timed_out);
      }
      EXPECT_FALSE(outer.is_cancelled());
      EXPECT_EQ(sleep_for(1us), wake_reason::timed_out);
    });
  });
}

TEST_P(Scope, ADeadlineIsSeenByLoops) {
  play([] {
    EXPECT_THROW(with_scope({.limits = 1ms},
                            [](scope& s) {
                              s.spawn([] {
                                for (;;) throw_if_cancelled();
                              });
                            }),
                 cancelled);
  });
}

TEST_P(Scope, InnerScopesAreCancelledWithTheOuter) {
  play([] {
    std::atomic<int> ended = 0;
    EXPECT_THROW(with_scope([&](scope& outer) {
                   counter begun(2);
                   for (int i = 0; i < 2; ++i) {
                     outer.spawn([&] {
                       try {
                         with_scope([&](scope& inner) {
                           inner.spawn([&] {
                             begun.decrement();
                             wait_for_ever();
                           });
                         });
                       } catch (const cancelled&) {
                         ++ended;
                         throw;
                       }
                     });
                   }
                   wait_for_counter(begun);
                   throw first_error("outer");
                 }),
                 first_error);
    EXPECT_EQ(ended, 2);
  });
}

TEST_P(Scope, TheCancellationOfAnotherScopeIsAFailure) {
  play([] {
    EXPECT_THROW(with_scope([](scope& s) {
                   s.spawn([] { throw cancelled(); });
                   wait_for_ever();
                 }),
                 cancelled);
  });
}

TEST_P(Scope, BudgetBoundsTheChildren) {
  play([] {
    std::atomic<int> now = 0, most = 0;
    with_scope({.most_children = 3}, [&](scope& s) {
      for (int i = 0; i < 50; ++i) {
        s.spawn([&] {
          const int mine = ++now;
          int seen = most;
          while (seen < mine && !most.compare_exchange_weak(seen, mine)) {
          }
          static_cast<void>(sleep_for(50us));
          --now;
        });
      }
    });
    EXPECT_LE(most, 3);
    EXPECT_GE(most, 1);
    // A spawn that waits for room is cancelled too.
    EXPECT_THROW(with_scope({.limits = 1ms, .most_children = 1},
                            [](scope& s) {
                              for (;;) s.spawn(&wait_for_ever);
                            }),
                 cancelled);
  });
}

// ---- Every kind of wait ----

TEST_P(Scope, EveryWaitIsCancelled) {
  play([] {
    EXPECT_NO_THROW(with_scope([](scope& s) {
      counter down(1);
      binary_semaphore permit(0);
      auto endless = s.spawn(&wait_for_ever);
      auto plain = spawn([&] { wait_for_counter(down); });
      s.request_stop();
      EXPECT_THROW(wait_for_counter(down), cancelled);
      EXPECT_THROW(static_cast<void>(wait_for_counter(down, 0, 10min)), cancelled);
      EXPECT_THROW(permit.acquire(), cancelled);
      EXPECT_THROW(static_cast<void>(permit.acquire(10min)), cancelled);
      EXPECT_THROW(static_cast<void>(permit.try_acquire_for(10min)), cancelled);
      EXPECT_THROW(static_cast<void>(sleep_for(10min)), cancelled);
      EXPECT_THROW(static_cast<void>(plain.wait(10min)), cancelled);
      EXPECT_THROW(plain.join(), cancelled);
      EXPECT_TRUE(plain.joinable());
      down.decrement();
      const shield here;
      plain.join();
      EXPECT_THROW(endless.join(), cancelled);
    }));
  });
}

TEST_P(Scope, JobsAreNotLostWhenTheirWaitIsCancelled) {
  play([] {
    with_scope([](scope& s) {
      counter down(1);
      auto work = job::create([&] { wait_for_counter(down); });
      job::run(work);
      s.request_stop();
      EXPECT_THROW(job::wait(work), cancelled);
      EXPECT_TRUE(work);
      EXPECT_THROW(job::wait(work), cancelled);
      down.decrement();
      const shield here;
      job::wait(work);
      EXPECT_FALSE(work);
    });
  });
}

TEST_P(Scope, AUsersOwnTokenIsAReason) {
  play([] {
    with_scope([](scope&) {
      std::stop_source mine;
      mine.request_stop();
      EXPECT_EQ(sleep_for(10min, mine.get_token()), wake_reason::cancelled);
      EXPECT_EQ(sleep_for(1us), wake_reason::timed_out);
    });
  });
}

TEST_P(Scope, WhatIsThereIsTaken) {
  play([] {
    with_scope([](scope& s) {
      s.request_stop();
      binary_semaphore permit(1);
      permit.acquire();
      counter zero;
      wait_for_counter(zero);
      EXPECT_FALSE(permit.try_acquire());
      EXPECT_THROW(permit.acquire(), cancelled);
      permit.release();
      EXPECT_TRUE(permit.try_acquire());  // the cancelled wait has taken nothing
    });
  });
}

TEST_P(Scope, HandlesThatACancelledFiberLeavesAreWaitedFor) {
  play([] {
    counter down(1);
    bool ended = false;
    try {
      with_scope({.limits = 1ms}, [&](scope&) {
        int local = 1;
        auto plain = spawn([&] {
          wait_for_counter(down);
          local = 2;
          ended = true;
          throw second_error("plain");
        });
        auto work = job::create([&] { wait_for_counter(down); });
        job::run(work);
        const struct counting_down {
          counter& of;
          ~counting_down() { of.decrement(); }
        } at_end{down};
        plain.join();
      });
      ADD_FAILURE() << "the fiber's exception is lost";
    } catch (const second_error&) {
    }
    EXPECT_TRUE(ended);
  });
}

// ---- Shields ----

TEST_P(Scope, CleanupThatWaitsRunsToItsEnd) {
  play([] {
    int cleaned = 0;
    struct cleanup {
      int& of;
      ~cleanup() {
        binary_semaphore answer(0);
        auto helper = spawn([&] { answer.release(); });
        answer.acquire();
        static_cast<void>(sleep_for(100us));
        helper.join();
        // A scope of its own is not cancelled with the outer one.
        with_scope([&](scope& s) {
          s.spawn([&] {
            static_cast<void>(sleep_for(100us));
            ++of;
          });
        });
        ++of;
      }
    };
    // During unwinding.
    EXPECT_THROW(with_scope({.limits = 1ms},
                            [&](scope&) {
                              const cleanup at_end{cleaned};
                              wait_for_ever();
                            }),
                 cancelled);
    EXPECT_EQ(cleaned, 2);
    // In a destructor that nothing has thrown through.
    with_scope([&](scope& s) {
      s.request_stop();
      const cleanup at_end{cleaned};
    });
    EXPECT_EQ(cleaned, 4);
    // In a destructor that is cancelled while it waits.
    with_scope([&](scope& s) {
      struct slow {
        scope& of;
        ~slow() {
          of.spawn([&here = of] {
            const shield now;
            static_cast<void>(sleep_for(1ms));
            here.request_stop();
          });
          EXPECT_EQ(sleep_for(20ms), wake_reason::timed_out);
        }
      };
      const slow at_end{s};
    });
  });
}

TEST_P(Scope, ExceptionsMayBeHandledDuringUnwinding) {
  play([] {
    struct handles {
      ~handles() {
        EXPECT_THROW(with_scope({.limits = 1ms}, [](scope&) { wait_for_ever(); }), cancelled);
      }
    };
    EXPECT_THROW(with_scope([](scope&) {
                   const handles at_end;
                   throw first_error("body");
                 }),
                 first_error);
  });
}

TEST_P(Scope, ExplicitShields) {
  play([] {
    with_scope([](scope& s) {
      s.request_stop();
      try {
        wait_for_ever();
      } catch (const cancelled&) {
        EXPECT_THROW(static_cast<void>(sleep_for(1us)), cancelled);
        {
          const shield here;
          EXPECT_EQ(sleep_for(1us), wake_reason::timed_out);
          {
            const shield again;
            EXPECT_EQ(sleep_for(1us), wake_reason::timed_out);
          }
          EXPECT_EQ(sleep_for(1us), wake_reason::timed_out);
        }
        EXPECT_THROW(static_cast<void>(sleep_for(1us)), cancelled);
      }
    });
  });
}

TEST_P(Scope, HandlersForStdExceptionDoNotSwallowIt) {
  play([] {
    int rounds = 0;
    EXPECT_THROW(with_scope({.limits = 1ms},
                            [&](scope&) {
                              for (;; ++rounds) {
                                try {
                                  wait_for_ever();
                                } catch (const std::exception&) {
                                  continue;
                                }
                              }
                            }),
                 cancelled);
    EXPECT_EQ(rounds, 0);
  });
}

TEST(ScopeRefused, AChildWithoutAStackIsAFailure) {
  test::scarce_backend backend(1);  // for the first fiber
  options chosen = with_workers(1);
  chosen.backend = &backend;
  run(chosen, [&] {
    bool captured_is_gone = false;
    struct last {
      explicit last(bool& gone) : of(&gone) {}
      last(last&& other) noexcept : of(std::exchange(other.of, nullptr)) {}
      ~last() {
        if (of != nullptr) *of = true;
      }
      bool* of;
    };
    EXPECT_THROW(with_scope([&](scope& s) {
                   s.spawn([captured = last(captured_is_gone)] {});
                   wait_for_ever();
                 }),
                 spawn_error);
    EXPECT_TRUE(captured_is_gone);
  });
}

}  // namespace
}  // namespace ramie
