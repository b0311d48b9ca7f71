// counter, wait_for_counter, spawn_with_counter.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::message_of;
using test::watchdog;
using test::with_workers;

class Counter : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Counter, ::testing::Values(1U, 2U, 4U));

TEST(CounterValue, CountsUpAndDown) {
  counter count(3);
  EXPECT_EQ(count.value(), 3);
  count.add();
  count.add(10);
  EXPECT_EQ(count.value(), 14);
  count.decrement(4);
  count.decrement();
  EXPECT_EQ(count.value(), 9);
  counter large(counter::max);
  large.decrement();
  EXPECT_EQ(large.value(), counter::max - 1);
}

TEST(CounterValue, BelowZeroFromTheStart_Throws) { EXPECT_THROW(counter(-1), misuse); }

TEST(CounterValue, AboveTheLargest_IsRefused) {
  EXPECT_THROW(counter(counter::max + 1), misuse);
  counter full(counter::max);
  EXPECT_DEATH(full.add(), "raised above");
  EXPECT_DEATH(full.add(INT64_MAX), "raised above");
  EXPECT_DEATH(full.decrement(INT64_MIN), "raised above");
}

TEST(CounterValue, WaitingForLessThanZero_Throws) {
  counter count(1);
  EXPECT_THROW(wait_for_counter(count, -1), misuse);
  run([&] { EXPECT_THROW(wait_for_counter(count, -1), misuse); });
  counter zero;
  EXPECT_THROW(wait_for_counter(zero, -1), misuse);
}

TEST_P(Counter, WaitReturnsAtOnce_WhereTheTargetIsReached) {
  counter zero;
  wait_for_counter(zero);  // on a thread
  run(chosen, [&] {
    const std::uint64_t id = this_fiber::id();
    wait_for_counter(zero);
    counter five(5);
    wait_for_counter(five, 5);
    wait_for_counter(five, 6);
    EXPECT_EQ(this_fiber::id(), id);
  });
}

TEST_P(Counter, WaitsForAllSpawnedWithIt) {
  run(chosen, [] {
    for (int round = 0; round < 100; ++round) {
      int plain[20] = {};
      counter done;
      for (int i = 0; i < 20; ++i) {
        spawn_with_counter(done, [&plain, i] {
          if (i % 2 == 0) yield();
          plain[i] = i;
        });
      }
      wait_for_counter(done);
      for (int i = 0; i < 20; ++i) EXPECT_EQ(plain[i], i);
    }
  });
}

TEST_P(Counter, ManyWaiters_ManyTargets_EachGoesOnAtItsOwn) {
  run(chosen, [] {
    constexpr std::int64_t from = 20;
    counter count(from);
    std::array<std::atomic<int>, from> passed{};
    std::array<std::atomic<int>, from> early{};
    std::atomic<int> begun{0};
    std::vector<join_handle<void>> waiters;
    for (std::int64_t target = 0; target < from; ++target) {
      for (int each = 0; each < 5; ++each) {
        waiters.push_back(spawn([&, target] {
          ++begun;
          wait_for_counter(count, target);
          if (count.value() > target) ++early[static_cast<std::size_t>(target)];
          ++passed[static_cast<std::size_t>(target)];
        }));
      }
    }
    while (begun < 5 * from) yield();
    for (int i = 0; i < 50; ++i) yield();
    for (std::int64_t now = from - 1; now >= 0; --now) {
      count.decrement();
      const auto at = static_cast<std::size_t>(now);
      EXPECT_TRUE(test::eventually_yielding("who waits for target " + std::to_string(now) + " goes on",
                                            [&] { return passed[at] == 5; }));
      for (std::int64_t below = 0; below < now; ++below) EXPECT_EQ(passed[static_cast<std::size_t>(below)], 0);
    }
    for (auto& each : waiters) each.join();
    for (const auto& each : early) EXPECT_EQ(each, 0);
  });
}

TEST_P(Counter, OneDecrementMayReachSeveralTargets) {
  run(chosen, [] {
    counter count(10);
    std::atomic<int> begun{0}, passed{0};
    std::vector<join_handle<void>> waiters;
    for (std::int64_t i = 0; i < 60; ++i) {
      waiters.push_back(spawn([&, i] {
        ++begun;
        wait_for_counter(count, i % 6);
        ++passed;
      }));
    }
    while (begun < 60) yield();
    for (int i = 0; i < 20; ++i) yield();
    count.decrement(4);
    for (int i = 0; i < 20; ++i) yield();
    EXPECT_EQ(passed, 0);
    count.decrement(6);
    for (auto& each : waiters) each.join();
    EXPECT_EQ(passed, 60);
  });
}

TEST(CounterOrder, WaitersOfOneTarget_GoOnInTheOrderInWhichTheyCame) {
  run(with_workers(1), [] {
    counter gate(1);
    std::vector<int> came, went;
    std::vector<join_handle<void>> waiters;
    for (int i = 0; i < 50; ++i) {
      waiters.push_back(spawn([&, i] {
        came.push_back(i);
        wait_for_counter(gate);
        went.push_back(i);
      }));
    }
    while (came.size() < 50) yield();
    yield();
    gate.decrement();
    for (auto& each : waiters) each.join();
    EXPECT_EQ(went, came);
  });
}

TEST_P(Counter, MayRiseAgain_WhileFibersWait) {
  run(chosen, [] {
    counter count(1);
    std::atomic<bool> passed{false};
    auto waiter = spawn([&] {
      wait_for_counter(count);
      passed = true;
    });
    for (int i = 0; i < 20; ++i) yield();
    count.add(2);
    count.decrement(2);
    count.add();
    count.decrement();
    for (int i = 0; i < 20; ++i) yield();
    EXPECT_FALSE(passed);
    count.decrement();
    waiter.join();
    EXPECT_TRUE(passed);
  });
}

TEST_P(Counter, ForeignThreadsWaitAndDecrement) {
  const watchdog limit("foreign threads on a counter");
  runtime home(chosen);
  home.start();
  for (int round = 0; round < (test::sanitized ? 50 : 300); ++round) {
    counter count(4);
    int plain[4] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        wait_for_counter(count);
        EXPECT_EQ(plain[0] + plain[1] + plain[2] + plain[3], 10);
      });
    }
    auto waiter = home.spawn([&] {
      wait_for_counter(count);
      return plain[0] + plain[1] + plain[2] + plain[3];
    });
    std::thread decrementer([&] {
      plain[0] = 1, count.decrement();
      plain[1] = 2, count.decrement();
    });
    plain[2] = 3, count.decrement();
    home.spawn([&] { plain[3] = 4, count.decrement(); }).detach();
    EXPECT_EQ(waiter.join(), 10);
    decrementer.join();
    for (std::thread& each : threads) each.join();
  }
}

TEST_P(Counter, FibersOfTwoRuntimesOnOneCounter) {
  const watchdog limit("two runtimes on one counter");
  runtime left(chosen);
  runtime right(with_workers(2));
  left.start();
  right.start();
  for (int round = 0; round < (test::sanitized ? 20 : 200); ++round) {
    counter gate(2), done(60);
    for (int i = 0; i < 60; ++i) {
      (i % 2 == 0 ? left : right)
          .spawn([&, i] {
            wait_for_counter(gate, i % 3 == 0 ? 1 : 0);
            done.decrement();
          })
          .detach();
    }
    left.spawn([&] { gate.decrement(); }).detach();
    right.spawn([&] { gate.decrement(); }).detach();
    wait_for_counter(done);
    // The decrementing fibers must be out of it too before it goes.
    left.stop();
    right.stop();
    left.start();
    right.start();
  }
}

TEST_P(Counter, SpawnWithCounter_DestroysWhatWasCapturedBeforeTheCountDrops) {
  run(chosen, [] {
    for (int round = 0; round < 200; ++round) {
      const auto shared = std::make_shared<int>(1);
      counter done;
      spawn_with_counter(done, [shared] {});
      spawn_with_counter(done, [shared] { yield(); });
      wait_for_counter(done);
      EXPECT_EQ(shared.use_count(), 1);
    }
  });
}

TEST_P(Counter, SpawnWithCounter_TakesMoveOnlyClosuresAndOptions) {
  run(chosen, [] {
    counter done;
    std::string name;
    int value = 0;
    spawn_with_counter(done, [owned = std::make_unique<int>(4), &value] { value = *owned; });
    spawn_with_counter(done, spawn_options{.name = "child", .stack_size = 64_KiB}, [&] { name = this_fiber::name(); });
    wait_for_counter(done);
    EXPECT_EQ(value, 4);
    EXPECT_EQ(name, "child");
  });
}

}  // namespace
}  // namespace ramie
