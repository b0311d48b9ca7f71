// latch and wait_group: as the standard and Go have them, between fibers and threads, with limits.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/sync/latch.hpp>
#include <ramie/sync/wait_group.hpp>

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

class Latch : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Latch, ::testing::Values(1U, 2U, 4U));
class WaitGroup : public Latch {};
INSTANTIATE_TEST_SUITE_P(Workers, WaitGroup, ::testing::Values(1U, 2U, 4U));

TEST(LatchValue, OpensAtZero_AndStaysOpen) {
  latch of(3);
  static_assert(latch::max() > 1'000'000'000);
  static_assert(!std::is_copy_constructible_v<latch> && !std::is_copy_assignable_v<latch>);
  EXPECT_FALSE(of.try_wait());
  of.count_down(2);
  of.count_down(0);
  EXPECT_FALSE(of.try_wait());
  EXPECT_EQ(of.wait(1ms), wake_reason::timed_out);
  of.arrive_and_wait();
  const latch& as_constant = of;
  EXPECT_TRUE(as_constant.try_wait());
  as_constant.wait();
  EXPECT_EQ(as_constant.wait(0s), wake_reason::woken);
  EXPECT_TRUE(latch(0).try_wait());
  EXPECT_THROW(latch(-1), misuse);
  if constexpr (latch::max() < PTRDIFF_MAX) {
    EXPECT_THROW(latch(latch::max() + 1), misuse);
  }
  EXPECT_FALSE(latch(latch::max()).try_wait());
}

TEST(LatchDeath, SaysWhatIsWrong) {
  EXPECT_DEATH(latch(0).count_down(), "below zero");
  EXPECT_DEATH(latch(1).count_down(2), "below zero");
  EXPECT_DEATH(latch(1).count_down(-1), "less than nothing");
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto of = std::make_unique<latch>(1);
                     auto waits = spawn([&of = *of] { of.wait(); });
                     yield();
                     of.reset();
                     waits.join();
                   }),
               "a latch was destroyed while fibers or threads wait for it");
}

TEST(LatchOrder, WakesAll_InTheOrderInWhichTheyCame_AndNobodyBefore) {
  run(with_workers(1), [] {
    latch of(2);
    std::vector<int> order;
    counter done;
    for (int i = 0; i < 10; ++i) {
      spawn_with_counter(done, [&, i] {
        of.wait();
        order.push_back(i);
      });
      yield();
    }
    of.count_down();
    for (int i = 0; i < 20; ++i) yield();
    EXPECT_TRUE(order.empty());
    of.count_down();
    wait_for_counter(done);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  });
}

TEST_P(Latch, FibersAndThreadsArriveAndWait) {
  constexpr int fibers = 20, threads = 4;
  std::vector<int> values(fibers + threads);
  latch all(fibers + threads);
  const auto party = [&](int i) {
    values[static_cast<std::size_t>(i)] = i + 1;
    all.arrive_and_wait();
    int sum = 0;
    for (const int each : values) sum += each;
    EXPECT_EQ(sum, (fibers + threads) * (fibers + threads + 1) / 2);
  };
  std::vector<std::thread> outside;
  for (int i = 0; i < threads; ++i) outside.emplace_back([&, i] { party(fibers + i); });
  run(chosen, [&] {
    counter done;
    for (int i = 0; i < fibers; ++i) spawn_with_counter(done, [&, i] { party(i); });
    wait_for_counter(done);
  });
  for (auto& each : outside) each.join();
}

TEST_P(Latch, GivesUp) {
  run(chosen, [] {
    latch of(1);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(of.wait(20ms), wake_reason::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
    std::stop_source stop;
    auto canceller = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(of.wait(stop.get_token()), wake_reason::cancelled);
    canceller.join();
    auto opens = spawn([&] { of.count_down(); });
    EXPECT_EQ(of.wait(1h), wake_reason::woken);
    opens.join();
  });
}

TEST_P(Latch, StressDestroyedRightAfterTheWait) {
  const watchdog limit("latches destroyed after the wait");
  run(chosen, [] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      auto of = std::make_unique<latch>(2);
      auto first = spawn([&of = *of] { of.count_down(); });
      auto second = spawn([&of = *of] { of.count_down(); });
      if (race.begun() % 3 == 0) yield();
      if (race.begun() % 2 == 0) {
        while (!of->try_wait()) yield();
      } else if (race.begun() % 5 == 0) {
        while (of->wait(10us) != wake_reason::woken) {
        }
      } else {
        of->wait();
      }
      of.reset();
      first.join();
      second.join();
    }
  });
}

// The first of many that are woken destroys the latch, while a thread still wakes the others, and they return.
TEST(LatchStress, DestroyedByTheFirstOfManyThatAreWoken) {
  const watchdog limit("latches destroyed by the first of many");
  std::atomic<latch*> handed = nullptr;
  std::atomic<bool> over = false;
  std::thread outside([&] {
    while (!over) {
      if (latch* const of = handed.exchange(nullptr)) {
        of->count_down();
      } else {
        std::this_thread::yield();
      }
    }
  });
  run(with_workers(1), [&] {  // where all wait for certain, before the latch is handed over
    for (test::rounds race(test::sanitized ? 100 : 1'000); race.next();) {
      auto of = std::make_unique<latch>(1);
      counter done;
      for (int i = 0; i < 8; ++i) {
        spawn_with_counter(done, [&, i, door = of.get()] {
          if (i % 2 == 0) {
            door->wait();
          } else {
            EXPECT_EQ(door->wait(1h), wake_reason::woken);
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

// ---- Wait groups ----

TEST(WaitGroupValue, CountsUpAndDown_AndMayBeUsedAgain) {
  wait_group of;
  of.wait();
  EXPECT_TRUE(of.try_wait());
  of.add(3);
  of.add(-1);
  of.add(0);
  of.done();
  EXPECT_FALSE(of.try_wait());
  EXPECT_EQ(of.wait(1ms), wake_reason::timed_out);
  of.done();
  of.wait();
  of.add();
  EXPECT_FALSE(of.try_wait());
  of.done();
  EXPECT_EQ(of.wait(0s), wake_reason::woken);
}

TEST(WaitGroupDeath, SaysWhatIsWrong) {
  EXPECT_DEATH(wait_group().done(), "fallen below zero");
  EXPECT_DEATH(
      {
        wait_group of;
        of.add(2);
        of.add(-3);
      },
      "fallen below zero");
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto of = std::make_unique<wait_group>();
                     of->add();
                     auto waits = spawn([&of = *of] { of.wait(); });
                     yield();
                     of.reset();
                     waits.join();
                   }),
               "a wait_group was destroyed while fibers or threads wait for it");
}

TEST_P(WaitGroup, WaitsForAll) {
  run(chosen, [] {
    wait_group all;
    std::vector<int> values(100);
    for (int& each : values) {
      all.go([&each, own = std::make_unique<int>(7)] { each = *own; });
    }
    all.wait();
    for (const int each : values) EXPECT_EQ(each, 7);
  });
}

TEST_P(WaitGroup, IsDoneWhenCapturesAreGone) {
  run(chosen, [] {
    for (int round = 0; round < 100; ++round) {
      auto shared = std::make_shared<int>(1);
      const std::weak_ptr<int> watched = shared;
      wait_group of;
      of.go([own = std::move(shared)] { yield(); });
      of.wait();
      EXPECT_TRUE(watched.expired());
    }
  });
}

TEST_P(WaitGroup, FibersAndThreadsWait) {
  wait_group of;
  of.add(3);
  std::atomic<int> done = 0;
  std::thread outside([&] {
    of.wait();
    EXPECT_EQ(done, 3);
  });
  run(chosen, [&] {
    counter through;
    for (int i = 0; i < 10; ++i) {
      spawn_with_counter(through, [&] {
        of.wait();
        EXPECT_EQ(done, 3);
      });
      yield();
    }
    for (int i = 0; i < 10; ++i) yield();
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(of.wait(stop.get_token()), wake_reason::cancelled);
    for (int i = 0; i < 3; ++i) {
      ++done;
      of.done();
    }
    wait_for_counter(through);
  });
  outside.join();
}

// As Go's own test: a group that is used again and again, by fibers that wait and are waited for.
TEST_P(WaitGroup, StressUsedAgain) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const watchdog limit("wait groups, seed " + std::to_string(seed));
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    wait_group all;
    run(chosen, [&] {
      for (int round = 0; round < (test::sanitized ? 50 : 300); ++round) {
        const int parties = 1 + static_cast<int>(random() % 8);
        std::atomic<int> ended = 0;
        all.add(parties);
        for (int i = 0; i < parties; ++i) {
          spawn([&all, &ended, yields = random() % 3] {
            for (auto left = yields; left > 0; --left) yield();
            ++ended;
            all.done();
          }).detach();
        }
        counter waited;
        for (int i = 0; i < 3; ++i) {
          spawn_with_counter(waited, [&, limited = random() % 2 == 0] {
            if (limited) {
              while (all.wait(20us) != wake_reason::woken) {
              }
            } else {
              all.wait();
            }
            EXPECT_EQ(ended, parties);
          });
        }
        all.wait();
        EXPECT_EQ(ended, parties);
        wait_for_counter(waited);
      }
    });
  }
}

TEST_P(WaitGroup, StressDestroyedRightAfterTheWait) {
  const watchdog limit("wait groups destroyed after the wait");
  run(chosen, [] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      auto of = std::make_unique<wait_group>();
      for (auto left = race.begun() % 3 + 1; left > 0; --left) of->go([] {});
      if (race.begun() % 2 == 0) yield();
      of->wait();
      of.reset();
    }
  });
}

}  // namespace
}  // namespace ramie
