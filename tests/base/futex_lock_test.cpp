#include <ramie/base/futex_lock.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/repetitions.hpp"

namespace {

using namespace std::chrono_literals;
using ramie::futex_lock;

std::chrono::nanoseconds cpu_time_of_this_thread() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST(FutexLock, IsOneWord) { EXPECT_EQ(sizeof(futex_lock<>), 4U); }

TEST(FutexLock, TryLockFailsWhileHeldAndSucceedsAfter) {
  futex_lock<> lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(FutexLock, WaiterSleepsInsteadOfSpinning) {
  futex_lock<> lock;
  lock.lock();
  std::atomic<bool> got{false};
  std::atomic<bool> waits{false};
  std::chrono::nanoseconds used{};
  std::thread waiter([&] {
    const auto before = cpu_time_of_this_thread();
    waits = true;
    const std::scoped_lock hold(lock);
    used = cpu_time_of_this_thread() - before;
    got.store(true);
  });
  EXPECT_TRUE(ramie::test::eventually("the waiter sleeps, and goes on sleeping",
                                      [&] { return waits && ramie::test::others_sleep_for(100ms); }));
  EXPECT_FALSE(got.load()) << "two threads hold the lock";
  lock.unlock();
  waiter.join();
  EXPECT_TRUE(got.load());
  EXPECT_LT(used, 100ms) << "the waiter span while it should have slept";
}

// Every unlock that finds a sleeper must wake one: with a lost wake-up this test hangs, and its time limit ends it.
TEST(FutexLock, StressEveryIncrementUnderContentionCounts) {
  constexpr int threads = 8;
  const int rounds = static_cast<int>(ramie::test::repetitions(5)) * 4'000;
  futex_lock<> lock;
  long total = 0;  // not atomic: the lock alone protects it, and TSan looks
  bool inside = false;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        const std::scoped_lock hold(lock);
        ASSERT_FALSE(inside);
        inside = true;
        ++total;
        // Now and then held across a time slice, so that waiters pass their spinning and sleep.
        if (i % 256 == t) std::this_thread::yield();
        inside = false;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(total, static_cast<long>(threads) * rounds);
}

}  // namespace
