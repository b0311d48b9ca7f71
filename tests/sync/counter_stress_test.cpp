// The windows of counter: between the last decrement, the wake and the destruction.
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

constexpr int rounds = test::sanitized ? 1'000 : 10'000;

// A waiter may destroy the counter as soon as its wait has returned, while the last decrement is still returning. On
// the heap, so that AddressSanitizer sees a late access.
TEST(CounterStress, DestroyedRightAfterTheWait) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const watchdog limit("destroy after wait, workers " + std::to_string(workers));
    run(with_workers(workers), [] {
      for (int round = 0; round < rounds; ++round) {
        auto done = std::make_unique<counter>();
        for (int i = round % 3; i >= 0; --i) spawn_with_counter(*done, [] {});
        if (round % 2 == 0) yield();
        wait_for_counter(*done);
        done.reset();
      }
    });
  }
}

TEST(CounterStress, DestroyedRightAfterAForeignThreadsWait) {
  const watchdog limit("destroy after a foreign wait");
  runtime home(with_workers(2));
  home.start();
  for (int round = 0; round < rounds / 4; ++round) {
    auto done = std::make_unique<counter>(2);
    counter* const awaited = done.get();
    for (int i = 0; i < 2; ++i) home.spawn([awaited] { awaited->decrement(); }).detach();
    wait_for_counter(*done);
    done.reset();
  }
}

TEST(CounterStress, DestroyedWhileAForeignDecrementReturns) {
  const watchdog limit("destroy under a foreign decrement");
  runtime home(with_workers(2));
  home.start();
  std::atomic<counter*> handed{nullptr};
  std::atomic<bool> over{false};
  std::thread outside([&] {
    while (!over) {
      if (counter* const awaited = handed.exchange(nullptr))
        awaited->decrement();
      else
        std::this_thread::yield();
    }
  });
  auto waiter = home.spawn([&] {
    for (test::rounds race(rounds / 4); race.next();) {
      auto done = std::make_unique<counter>(1);
      handed = done.get();
      if (race.begun() % 3 == 0) yield();
      wait_for_counter(*done);
    }
  });
  waiter.join();
  over = true;
  outside.join();
}

// A thread that decrements is in no way known to the runtime whose fiber it wakes: that one may end, and its runtime be
// destroyed, while the thread is still on its way out of decrement().
TEST(CounterStress, RuntimeDestroyedWhileAForeignDecrementReturns) {
  const watchdog limit("runtime destroyed under a foreign decrement");
  std::atomic<counter*> handed{nullptr};
  std::atomic<bool> over{false};
  std::thread outside([&] {
    while (!over) {
      if (counter* const awaited = handed.exchange(nullptr))
        awaited->decrement();
      else
        std::this_thread::yield();
    }
  });
  for (test::rounds race(rounds / 20); race.next();) {
    counter done(1);
    auto home = std::make_unique<runtime>(with_workers(2));
    home->spawn([&] {
          handed = &done;
          wait_for_counter(done);
        })
        .detach();
    home->run();
    home.reset();
  }
  over = true;
  outside.join();
}

// The same between two runtimes: a worker of one completes what a fiber of the other, shorter-lived one joins.
TEST(CounterStress, RuntimeDestroyedWhileAnotherRuntimesWakeReturns) {
  const watchdog limit("runtime destroyed under a foreign wake");
  runtime lasting(with_workers(2));
  lasting.start();
  for (int round = 0; round < rounds / 20; ++round) {
    auto home = std::make_unique<runtime>(with_workers(1));
    home->spawn([&] {
          auto there = lasting.spawn([] {});
          there.join();
        })
        .detach();
    home->run();
    home.reset();
  }
}

// Random targets, adds and subtractions; at the end the count comes down and everyone must have gone on.
TEST(CounterStress, RandomTargets_NobodyIsLeft) {
  for (const std::uint64_t seed : test::seeds()) {
    for (const unsigned workers : {1U, 2U, 4U}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", workers " + std::to_string(workers));
      const watchdog limit("random targets, seed " + std::to_string(seed) + ", workers " + std::to_string(workers));
      constexpr std::int64_t top = 50;
      counter count(top);
      std::atomic<int> passed{0};
      constexpr int waiting = 300;
      run(with_workers(workers), [&] {
        std::mt19937 random(static_cast<std::uint32_t>(seed));
        counter all_passed(waiting);
        for (int i = 0; i < waiting; ++i) {
          const std::int64_t target = random() % top;
          spawn([&, target] {
            wait_for_counter(count, target);
            ++passed;
            all_passed.decrement();
          }).detach();
        }
        for (int i = 0; i < 4; ++i) {
          spawn([&] {
            for (int j = 0; j < 100; ++j) {
              count.add(3);
              if (j % 7 == 0) yield();
              count.decrement(3);
            }
          }).detach();
        }
        std::thread outside([&] {
          for (std::int64_t i = 0; i < top; ++i) count.decrement();
        });
        wait_for_counter(all_passed);
        outside.join();
      });
      EXPECT_EQ(passed, waiting);
      EXPECT_EQ(count.value(), 0);
    }
  }
}

}  // namespace
}  // namespace ramie
