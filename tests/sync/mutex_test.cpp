// mutex and recursive_mutex: as the standard has them, between fibers and threads, with limits.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/mutex.hpp>
#include <ramie/sync/semaphore.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::eventually_yielding;
using test::with_workers;

constinit mutex made_at_compile_time;

class Mutex : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Mutex, ::testing::Values(1U, 2U, 4U));

template <class Lock>
void excludes(int fibers, int rounds) {
  Lock of;
  int inside = 0;
  long total = 0;
  counter done;
  const auto body = [&] {
    for (int i = 0; i < rounds; ++i) {
      const std::unique_lock<Lock> guard(of);
      EXPECT_EQ(++inside, 1);
      if (i % 3 == 0) yield();
      ++total;
      --inside;
    }
  };
  for (int i = 0; i < fibers; ++i) spawn_with_counter(done, body);
  wait_for_counter(done);
  EXPECT_EQ(total, long{fibers} * rounds);
}

TEST_P(Mutex, LetsOneIn) {
  run(chosen, [] { excludes<mutex>(20, 200); });
}
TEST_P(Mutex, Recursive_LetsOneIn) {
  run(chosen, [] { excludes<recursive_mutex>(20, 200); });
}

TEST_P(Mutex, BetweenFibersAndThreads) {
  constexpr int each = 2'000;
  mutex of;
  long total = 0;
  const auto add = [&] {
    for (int i = 0; i < each; ++i) {
      const std::lock_guard guard(of);
      total = total + 1;
    }
  };
  std::vector<std::thread> outside;
  for (int i = 0; i < 3; ++i) outside.emplace_back(add);
  run(chosen, [&] {
    counter done;
    for (int i = 0; i < 5; ++i) spawn_with_counter(done, add);
    wait_for_counter(done);
  });
  for (std::thread& each_thread : outside) each_thread.join();
  EXPECT_EQ(total, 8 * each);
}

TEST_P(Mutex, TryLock) {
  run(chosen, [] {
    std::unique_lock first(made_at_compile_time);
    std::unique_lock second(made_at_compile_time, std::try_to_lock);
    EXPECT_FALSE(second.owns_lock());
    first.unlock();
    EXPECT_TRUE(second.try_lock());
  });
}

TEST_P(Mutex, TimedWaits_TakeNothingWhereTimeIsOver) {
  timed_mutex of;
  const auto body = [&] {
    std::unique_lock held(of);
    std::thread outside([&] {
      EXPECT_FALSE(of.try_lock_for(1ms));
      EXPECT_FALSE(of.try_lock_until(std::chrono::system_clock::now() + 1ms));
      EXPECT_FALSE(of.try_lock_until(std::chrono::steady_clock::now() - 1s));
    });
    outside.join();
    std::stop_source stop;
    auto inside = spawn([&] {
      EXPECT_FALSE(of.try_lock_for(1ms));
      EXPECT_FALSE(of.try_lock_for(0ms));
      EXPECT_EQ(of.lock({1h, stop.get_token()}), wake_reason::cancelled);
      EXPECT_EQ(of.lock(wait_limits(stop.get_token())), wake_reason::cancelled);
    });
    sleep_for(5ms);
    stop.request_stop();
    inside.join();  // held across a join
    held.unlock();
    const std::unique_lock<timed_mutex> timed(of, 1h);
    EXPECT_TRUE(timed.owns_lock());
  };
  run(chosen, body);
}

TEST_P(Mutex, IsUnlockedByAnotherWorkerAfterAWait) {
  run(chosen, [] {
    mutex of;
    counter done;
    for (int i = 0; i < 50; ++i) {
      spawn_with_counter(done, [&] {
        const std::lock_guard guard(of);
        auto child = spawn([] { sleep_for(50us); });
        child.join();
        yield();
      });
    }
    wait_for_counter(done);
    EXPECT_TRUE(of.try_lock());
    of.unlock();
  });
}

TEST_P(Mutex, ScopedLocksInAnyOrder_EndNoneInADeadlock) {
  run(chosen, [] {
    mutex a, b;
    recursive_mutex c;
    counter done;
    int total = 0;
    for (int i = 0; i < 12; ++i) {
      spawn_with_counter(done, [&, i] {
        for (int round = 0; round < 100; ++round) {
          if (i % 3 == 0) {
            const std::scoped_lock all(a, b, c);
            ++total;
            if (round % 4 == 0) yield();
          } else if (i % 3 == 1) {
            const std::scoped_lock all(c, b, a);
            ++total;
          } else {
            std::unique_lock first(b, std::defer_lock), second(a, std::defer_lock);
            std::lock(first, second);
            ++total;
          }
        }
      });
    }
    wait_for_counter(done);
    EXPECT_EQ(total, 1'200);
  });
}

// One worker: all is decided by the order in which fibers run.
TEST(MutexOrder, AWaiterThatHasLostOnce_IsHandedTheMutex) {
  run(with_workers(1), [] {
    mutex of;
    std::string order;
    of.lock();
    auto waiter = spawn([&] {
      of.lock();
      order += 'w';
      of.unlock();
    });
    yield();  // it waits
    of.unlock();
    EXPECT_TRUE(of.try_lock());  // and is overtaken
    order += 'a';
    yield();  // it loses
    of.unlock();
    EXPECT_FALSE(of.try_lock()) << "it is the waiter's";
    of.lock();
    order += 'b';
    of.unlock();
    waiter.join();
    EXPECT_EQ(order, "awb");
  });
}

TEST(MutexOrder, UnlocksWakeNobodyWhileAWokenWaiterIsOnItsWay) {
  run(with_workers(1), [] {
    mutex of;
    std::string order;
    of.lock();
    std::vector<decltype(spawn([] {}))> waiters;
    for (char name : {'1', '2', '3'}) {
      waiters.push_back(spawn([&, name] {
        of.lock();
        order += name;
        of.unlock();
      }));
      yield();
    }
    for (int i = 0; i < 100; ++i) {
      of.unlock();
      EXPECT_TRUE(of.try_lock());
    }
    of.unlock();
    for (auto& each : waiters) each.join();
    EXPECT_EQ(order, "123");
  });
}

TEST(MutexOrder, UnlockToNext_TheNextOwnerRunsAtOnce) {
  run(with_workers(1), [] {
    mutex of;
    std::string order;
    of.lock();
    of.unlock_to_next();  // to nobody
    of.lock();
    auto next = spawn([&] {
      of.lock();
      order += 'n';
      of.unlock_to_next();
    });
    yield();
    auto other = spawn([&] { order += 'o'; });  // ready before
    auto third = spawn([&] { order += 't'; });
    of.unlock_to_next();
    order += 'm';
    next.join();
    other.join();
    third.join();
    EXPECT_EQ(order.substr(0, 1), "n");
    EXPECT_EQ(order.size(), 4U);
    EXPECT_TRUE(of.try_lock());
    of.unlock();
  });
}

// Two that take turns, as in the talk: each unlock runs the other.
TEST_P(Mutex, UnlockToNext_OfAllKindsOfWaiters) {
  mutex of;
  long total = 0;
  const auto body = [&] {
    for (int i = 0; i < 500; ++i) {
      if (i % 7 == 0) {
        if (!of.try_lock_for(20us)) continue;
      } else {
        of.lock();
      }
      total = total + 1;
      of.unlock_to_next();
    }
  };
  std::thread outside(body);
  run(chosen, [&] {
    counter done;
    for (int i = 0; i < 6; ++i) spawn_with_counter(done, body);
    wait_for_counter(done);
  });
  outside.join();
  EXPECT_GE(total, 7 * 428);
  EXPECT_TRUE(of.try_lock());
  of.unlock();
}

TEST_P(Mutex, IsDestroyedByItsLastOwner) {
  run(chosen, [] {
    for (int round = 0; round < 300; ++round) {
      struct shared {
        mutex lock;
        int users = 2;
      };
      auto* const both = new shared;
      const auto use = [both] {
        both->lock.lock();
        const bool last = --both->users == 0;
        both->lock.unlock();
        if (last) delete both;
      };
      auto first = spawn(use);
      auto second = spawn(use);
      first.join();
      second.join();
    }
  });
}

TEST(Recursive, IsLockedAgainByItsOwner) {
  recursive_timed_mutex of;
  const auto body = [&] {
    const std::scoped_lock once(of);
    EXPECT_TRUE(of.try_lock());
    EXPECT_TRUE(of.try_lock_for(1ms));
    EXPECT_EQ(of.lock(wait_limits(1ms)), wake_reason::woken);
    yield();
    auto other = spawn([&] {
      EXPECT_FALSE(of.try_lock());
      EXPECT_FALSE(of.try_lock_until(std::chrono::steady_clock::now() + 1ms));
    });
    other.join();
    for (int i = 0; i < 3; ++i) of.unlock();
  };
  run(with_workers(2), body);
  const std::scoped_lock outside(of);
  EXPECT_TRUE(of.try_lock());
  of.unlock();
}

TEST(MutexDeathTest, Misuse_EndsTheProcess) {
  EXPECT_DEATH(
      {
        mutex of;
        of.unlock();
      },
      "a mutex was unlocked that nobody owns");
  EXPECT_DEATH(
      {
        mutex of;
        of.unlock_to_next();
      },
      "a mutex was unlocked that nobody owns");
  EXPECT_DEATH(
      {
        const auto of = std::make_unique<mutex>();
        of->lock();
      },
      "a mutex was destroyed while somebody owns it");
  EXPECT_DEATH(
      {
        recursive_mutex of;
        of.lock();
        std::thread([&] { of.unlock(); }).join();
      },
      "a recursive_mutex was unlocked by a fiber or thread that does not own it");
}

TEST(MutexDeathTest, AFiberThatEndsAsOwner_IsNamedWhereAssertionsAre) {
  if (RAMIE_ASSERTIONS == 0) GTEST_SKIP() << "builds with assertions only";
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     mutex of;
                     spawn({.name = "careless"}, [&] { of.lock(); }).join();
                   }),
               "a fiber ended while it owned a mutex.*\n(.*\n)*.*careless");
}

// Random locks, timed and cancelled and handed over, of fibers and threads: each success is alone, and none is missing.
void storm(std::uint64_t seed, unsigned workers) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  mutex of;
  long inside = 0;
  long total = 0;
  native_provider::atomic<long> taken{0};
  const auto body = [&](std::uint64_t mine) {
    random_source random(mine);
    for (int i = 0; i < 300; ++i) {
      bool got = true;
      std::stop_source stop;
      switch (random.below(6)) {
        case 0: got = of.try_lock(); break;
        case 1: got = of.try_lock_for(std::chrono::microseconds(random.below(100))); break;
        case 2:
          if (random.below(2) == 0) stop.request_stop();
          got = of.lock({std::chrono::microseconds(random.below(200)), stop.get_token()}) == wake_reason::woken;
          break;
        default: of.lock();
      }
      if (!got) continue;
      taken.fetch_add(1, std::memory_order_relaxed);
      EXPECT_EQ(++inside, 1);
      ++total;
      if (random.below(4) == 0) sleep_for(std::chrono::microseconds(random.below(3) * 20));
      --inside;
      random.below(3) == 0 ? of.unlock_to_next() : of.unlock();
    }
  };
  std::vector<std::thread> outside;
  for (unsigned i = 0; i < 2; ++i) outside.emplace_back([&, i] { body(seed * 100 + i); });
  run(with_workers(workers), [&] {
    counter done;
    for (unsigned i = 0; i < 12; ++i) spawn_with_counter(done, [&, i] { body(seed * 100 + 50 + i); });
    wait_for_counter(done);
  });
  for (std::thread& each : outside) each.join();
  EXPECT_EQ(total, taken.load(std::memory_order_relaxed));
  EXPECT_TRUE(of.try_lock());
  of.unlock();
}

TEST(MutexStorm, NothingIsLost) {
  for (const std::uint64_t seed : test::seeds(3)) {
    for (const unsigned workers : {1U, 4U}) storm(seed, workers);
  }
}

}  // namespace
}  // namespace ramie
