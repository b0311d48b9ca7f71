// counting_semaphore: as the standard has it, between fibers and threads, with limits.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/sync/semaphore.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::watchdog;
using test::with_workers;

class Semaphore : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Semaphore, ::testing::Values(1U, 2U, 4U));

TEST(SemaphoreValue, CountsPermits) {
  counting_semaphore<3> of(2);
  static_assert(counting_semaphore<3>::max() == 3 && binary_semaphore::max() == 1);
  EXPECT_TRUE(of.try_acquire());
  EXPECT_TRUE(of.try_acquire());
  EXPECT_FALSE(of.try_acquire());
  of.release(3);
  EXPECT_DEATH(of.release(), "above its max\\(\\) of 3");
  EXPECT_DEATH(of.release(-1), "less than nothing");
  EXPECT_THROW(counting_semaphore<3>(4), misuse);
  EXPECT_THROW(counting_semaphore<3>(-1), misuse);
}

// On one worker a fiber that has been spawned and yielded to waits for certain.
TEST(SemaphoreOrder, WaitersAreServedInTheOrderInWhichTheyCame) {
  run(with_workers(1), [] {
    counting_semaphore<> of(0);
    std::vector<int> order;
    counter done;
    for (int i = 0; i < 10; ++i) {
      spawn_with_counter(done, [&, i] {
        of.acquire();
        order.push_back(i);
      });
      yield();
    }
    of.release();
    EXPECT_FALSE(of.try_acquire());  // it is the waiter's
    of.release(3);
    for (int i = 0; i < 20; ++i) yield();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));  // as many as were released, and the first of them
    of.release(8);
    wait_for_counter(done);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_TRUE(of.try_acquire());
    EXPECT_TRUE(of.try_acquire());
    EXPECT_FALSE(of.try_acquire());
  });
}

TEST(SemaphoreOrder, ThoseThatHaveGivenUpArePassedOver) {
  run(with_workers(1), [] {
    counting_semaphore<> of(0);
    std::stop_source stop;
    std::vector<int> order;
    std::vector<join_handle<void>> all;
    for (int i = 0; i < 6; ++i) {
      all.push_back(spawn([&, i] {
        const bool gives_up = i % 2 == 0;
        const wake_reason reason = gives_up ? of.acquire(stop.get_token()) : of.acquire(1h);
        EXPECT_EQ(reason, gives_up ? wake_reason::cancelled : wake_reason::woken);
        if (reason == wake_reason::woken) order.push_back(i);
      }));
      yield();
    }
    stop.request_stop();
    of.release(3);
    for (auto& each : all) each.join();
    EXPECT_EQ(order, (std::vector<int>{1, 3, 5}));
    EXPECT_FALSE(of.try_acquire());
  });
}

TEST(SemaphoreDeath, DestroyedWhileSomebodyWaits) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto of = std::make_unique<binary_semaphore>(0);
                     auto waits = spawn([&of = *of] { of.acquire(); });
                     yield();
                     of.reset();
                     waits.join();
                   }),
               "a semaphore was destroyed while fibers or threads wait for it");
}

TEST_P(Semaphore, BetweenFibersAndThreads) {
  counting_semaphore<> there(0), back(0);
  std::thread outside([&] {
    for (int i = 0; i < 200; ++i) {
      there.acquire();
      back.release();
    }
  });
  run(chosen, [&] {
    for (int i = 0; i < 200; ++i) {
      there.release();
      back.acquire();
    }
  });
  outside.join();
  EXPECT_FALSE(there.try_acquire());
  EXPECT_FALSE(back.try_acquire());
}

TEST_P(Semaphore, GivesNothing_WhereTimeIsOver) {
  run(chosen, [] {
    binary_semaphore of(0);
    EXPECT_FALSE(of.try_acquire_for(1ms));
    EXPECT_FALSE(of.try_acquire_until(std::chrono::steady_clock::now() - 1s));
    std::stop_source stop;
    auto canceller = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(of.acquire(stop.get_token()), wake_reason::cancelled);
    canceller.join();
    of.release();
    EXPECT_TRUE(of.try_acquire_for(1h));
    EXPECT_FALSE(of.try_acquire());
  });
  binary_semaphore of(0);
  EXPECT_FALSE(of.try_acquire_for(1ms));  // on a thread
}

// On the heap, so that AddressSanitizer sees a late access.
TEST_P(Semaphore, StressDestroyedRightAfterTheWait) {
  const watchdog limit("semaphores destroyed after the wait");
  run(chosen, [] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      auto of = std::make_unique<binary_semaphore>(0);
      auto other = spawn([&of = *of] { of.release(); });
      if (race.begun() % 3 == 0) yield();
      switch (race.begun() % 4) {
        case 0:
          while (!of->try_acquire()) yield();
          break;
        case 1:
          while (!of->try_acquire_for(10us)) {
          }
          break;
        default: of->acquire(); break;
      }
      of.reset();
      other.join();
    }
  });
}

// Permits go round between fibers and threads that wait, try, give up and are cancelled: there are never more than at
// the beginning, and all are there at the end.
TEST_P(Semaphore, StressNoPermitIsLostOrMade) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const watchdog limit("permits, seed " + std::to_string(seed));
    constexpr int permits = 3, operations = test::sanitized ? 200 : 2'000;
    counting_semaphore<permits> of(permits);
    std::atomic<int> inside = 0;
    const auto take_turns = [&](std::uint64_t stream, bool on_fiber) {
      std::mt19937 random(static_cast<std::uint32_t>(seed * 100 + stream));
      for (int i = 0; i < operations; ++i) {
        bool got = true;
        const auto time = std::chrono::microseconds(random() % 100);
        switch (random() % 5) {
          case 0: got = of.try_acquire(); break;
          case 1: got = of.try_acquire_for(time); break;
          case 2: {
            std::stop_source stop;
            std::optional<join_handle<void>> canceller;
            if (on_fiber) {
              canceller.emplace(spawn([stop, time]() mutable {
                sleep_for(time);
                stop.request_stop();
              }));
            } else {
              stop.request_stop();
            }
            got = of.acquire({1h, stop.get_token()}) == wake_reason::woken;
            if (got) {
              EXPECT_LE(++inside, permits);
              --inside;
              of.release();
              got = false;
            }
            if (canceller) canceller->join();
            break;
          }
          default: of.acquire(); break;
        }
        if (!got) continue;
        EXPECT_LE(++inside, permits);
        if (on_fiber && random() % 2 == 0) yield();
        --inside;
        of.release();
      }
    };
    std::vector<std::thread> outside;
    for (std::uint64_t i = 0; i < 2; ++i) outside.emplace_back([&, i] { take_turns(i, false); });
    run(chosen, [&] {
      counter done;
      for (std::uint64_t i = 2; i < 10; ++i) spawn_with_counter(done, [&, i] { take_turns(i, true); });
      wait_for_counter(done);
    });
    for (auto& each : outside) each.join();
    for (int i = 0; i < permits; ++i) EXPECT_TRUE(of.try_acquire());
    EXPECT_FALSE(of.try_acquire());
  }
}

}  // namespace
}  // namespace ramie
