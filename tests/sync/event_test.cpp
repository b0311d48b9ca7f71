// manual_reset_event and auto_reset_event: between fibers and threads, with limits.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/sync/event.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::watchdog;
using test::with_workers;

class Events : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Events, ::testing::Values(1U, 2U, 4U));

TEST(EventValue, ManualStaysSetUntilReset) {
  manual_reset_event of, set_from_the_beginning(true);
  EXPECT_FALSE(of.try_wait());
  EXPECT_TRUE(set_from_the_beginning.try_wait());
  of.set();
  of.set();
  EXPECT_TRUE(of.try_wait());
  EXPECT_TRUE(of.try_wait());
  of.wait();
  EXPECT_EQ(of.wait(0s), wake_reason::woken);
  of.reset();
  of.reset();
  EXPECT_FALSE(of.try_wait());
  EXPECT_EQ(of.wait(1ms), wake_reason::timed_out);
}

TEST(EventValue, AutoIsTakenOnce) {
  auto_reset_event of, set_from_the_beginning(true);
  EXPECT_FALSE(of.try_wait());
  EXPECT_TRUE(set_from_the_beginning.try_wait());
  EXPECT_FALSE(set_from_the_beginning.try_wait());
  of.set();
  of.set();
  EXPECT_TRUE(of.try_wait());
  EXPECT_FALSE(of.try_wait());
  of.set();
  of.wait();
  EXPECT_EQ(of.wait(0s), wake_reason::timed_out);
  of.set();
  EXPECT_EQ(of.wait(0s), wake_reason::woken);
  of.set();
  of.reset();
  EXPECT_FALSE(of.try_wait());
}

// On one worker a fiber that has been spawned and yielded to waits for certain.
TEST(EventOrder, ManualWakesAll_InTheOrderInWhichTheyCame) {
  run(with_workers(1), [] {
    manual_reset_event of;
    std::vector<int> order;
    counter done;
    for (int i = 0; i < 10; ++i) {
      spawn_with_counter(done, [&, i] {
        of.wait();
        order.push_back(i);
      });
      yield();
    }
    EXPECT_TRUE(order.empty());
    of.set();
    of.reset();  // those that were woken go on all the same
    wait_for_counter(done);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_FALSE(of.try_wait());
  });
}

TEST(EventOrder, AutoWakesOne_TheOneThatHasWaitedLongest) {
  run(with_workers(1), [] {
    auto_reset_event of;
    std::vector<int> order;
    counter done;
    for (int i = 0; i < 5; ++i) {
      spawn_with_counter(done, [&, i] {
        of.wait();
        order.push_back(i);
      });
      yield();
    }
    for (std::size_t set = 1; set <= 5; ++set) {
      of.set();
      EXPECT_FALSE(of.try_wait());  // it is the waiter's
      for (int i = 0; i < 10; ++i) yield();
      EXPECT_EQ(order.size(), set);
    }
    wait_for_counter(done);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_FALSE(of.try_wait());
  });
}

TEST(EventOrder, AutoPassesOverThoseThatHaveGivenUp) {
  run(with_workers(1), [] {
    auto_reset_event of;
    std::stop_source stop;
    auto cancelled = spawn([&] { EXPECT_EQ(of.wait(stop.get_token()), wake_reason::cancelled); });
    auto stays = spawn([&] { EXPECT_EQ(of.wait(1h), wake_reason::woken); });
    for (int i = 0; i < 4; ++i) yield();
    stop.request_stop();
    of.set();
    cancelled.join();
    stays.join();
    EXPECT_FALSE(of.try_wait());
  });
}

TEST_P(Events, BetweenFibersAndThreads) {
  auto_reset_event there, back;
  int value = 0;
  std::thread outside([&] {
    for (int i = 0; i < 200; ++i) {
      there.wait();
      EXPECT_EQ(value, 2 * i + 1);
      ++value;
      back.set();
    }
  });
  run(chosen, [&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(value, 2 * i);
      ++value;
      there.set();
      back.wait();
    }
  });
  outside.join();
}

TEST_P(Events, GiveUp) {
  run(chosen, [] {
    manual_reset_event of;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(of.wait(20ms), wake_reason::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
    std::stop_source stop;
    auto canceller = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(of.wait({1h, stop.get_token()}), wake_reason::cancelled);
    EXPECT_EQ(of.wait(stop.get_token()), wake_reason::cancelled);
    canceller.join();
    of.set();
    EXPECT_EQ(of.wait(stop.get_token()), wake_reason::woken);
  });
}

TEST(EventDeath, DestroyedWhileSomebodyWaits) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto of = std::make_unique<manual_reset_event>();
                     auto waits = spawn([&of = *of] { of.wait(); });
                     yield();
                     of.reset();
                     waits.join();
                   }),
               "an event was destroyed while fibers or threads wait for it");
}

// On the heap, so that AddressSanitizer sees a late access.
TEST_P(Events, StressDestroyedRightAfterTheWait) {
  const watchdog limit("events destroyed after the wait");
  run(chosen, [] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      auto of = std::make_unique<manual_reset_event>();
      auto sets = spawn([&of = *of] { of.set(); });
      if (race.begun() % 3 == 0) yield();
      if (race.begun() % 2 == 0) {
        while (!of->try_wait()) yield();
      } else {
        of->wait();
      }
      of.reset();
      sets.join();
    }
  });
}

// The first of many that are woken destroys the event, while a thread still wakes the others, and they return.
TEST(EventStress, DestroyedByTheFirstOfManyThatAreWoken) {
  const watchdog limit("events destroyed by the first of many");
  std::atomic<manual_reset_event*> handed = nullptr;
  std::atomic<bool> over = false;
  std::thread outside([&] {
    while (!over) {
      if (manual_reset_event* const of = handed.exchange(nullptr)) {
        of->set();
      } else {
        std::this_thread::yield();
      }
    }
  });
  run(with_workers(1), [&] {  // where all wait for certain, before the event is handed over
    for (test::rounds race(test::sanitized ? 100 : 1'000); race.next();) {
      auto of = std::make_unique<manual_reset_event>();
      counter done;
      for (int i = 0; i < 8; ++i) {
        spawn_with_counter(done, [&, i, event = of.get()] {
          if (i % 2 == 0) {
            event->wait();
          } else {
            EXPECT_EQ(event->wait(1h), wake_reason::woken);
          }
          of.reset();
        });
        yield();
      }
      handed = of.get();
      wait_for_counter(done);
    }
  });
  over = true;
  outside.join();
}

TEST_P(Events, StressDestroyedWhileAForeignSetReturns) {
  const watchdog limit("events destroyed under a foreign set");
  std::atomic<auto_reset_event*> handed = nullptr;
  std::atomic<bool> over = false;
  std::thread outside([&] {
    while (!over) {
      if (auto_reset_event* const of = handed.exchange(nullptr)) {
        of->set();
      } else {
        std::this_thread::yield();
      }
    }
  });
  run(chosen, [&] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      const auto of = std::make_unique<auto_reset_event>();
      handed = of.get();
      if (race.begun() % 3 == 0) yield();
      of->wait();
    }
  });
  over = true;
  outside.join();
}

// Each signal of an automatic event is taken once, by one that waits, tries or gives up too late.
TEST_P(Events, StressSignalsAreTakenOnce) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const watchdog limit("signals, seed " + std::to_string(seed));
    auto_reset_event of, taken;
    std::atomic<int> passed = 0;
    constexpr int signals = test::sanitized ? 300 : 2'000;
    std::atomic<bool> over = false;
    const auto taker = [&](std::uint64_t stream) {
      std::mt19937 random(static_cast<std::uint32_t>(seed * 100 + stream));
      while (!over) {
        bool got = false;
        switch (random() % 4) {
          case 0: got = of.try_wait(); break;
          case 1: got = of.wait(0s) == wake_reason::woken; break;
          case 2: got = of.wait(std::chrono::microseconds(random() % 100)) == wake_reason::woken; break;
          default: got = of.wait(5ms) == wake_reason::woken; break;
        }
        if (got) {
          ++passed;
          taken.set();
        }
      }
    };
    std::thread outside([&] { taker(0); });
    run(chosen, [&] {
      counter done;
      for (std::uint64_t i = 1; i <= 5; ++i) spawn_with_counter(done, [&, i] { taker(i); });
      for (int i = 1; i <= signals; ++i) {
        of.set();
        EXPECT_EQ(taken.wait(test::patience), wake_reason::woken);
        EXPECT_EQ(passed, i);
      }
      over = true;
      wait_for_counter(done);
    });
    outside.join();
    EXPECT_EQ(passed, signals);
    EXPECT_FALSE(of.try_wait());
  }
}

}  // namespace
}  // namespace ramie
