// condition_variable: as the standard has it and its _any, between fibers and threads, with limits.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/condition_variable.hpp>
#include <ramie/sync/mutex.hpp>
#include <ramie/sync/scope.hpp>
#include <ramie/sync/shared_mutex.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::eventually_yielding;
using test::with_workers;

constinit condition_variable made_at_compile_time;

class ConditionVariable : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, ConditionVariable, ::testing::Values(1U, 2U, 4U));

// Waiters that stand in it: each has come to wait when it has let the mutex go.
struct waiting_room {
  mutex lock;
  condition_variable changed;
  int waiting = 0;
  int returned = 0;

  void wait() {
    std::unique_lock guard(lock);
    ++waiting;
    changed.wait(guard);
    EXPECT_TRUE(guard.owns_lock());
    ++returned;
  }
  [[nodiscard]] int read(int waiting_room::* which) {
    const std::lock_guard guard(lock);
    return this->*which;
  }
};

TEST_P(ConditionVariable, NotifyOne_WakesExactlyOne) {
  run(chosen, [] {
    waiting_room room;
    counter done;
    for (int i = 0; i < 10; ++i) spawn_with_counter(done, [&] { room.wait(); });
    std::vector<std::thread> outside;
    for (int i = 0; i < 2; ++i) outside.emplace_back([&] { room.wait(); });
    EXPECT_TRUE(eventually_yielding("all wait", [&] { return room.read(&waiting_room::waiting) == 12; }));
    for (int notified = 1; notified <= 12; ++notified) {
      room.changed.notify_one();
      EXPECT_TRUE(eventually_yielding("one returns", [&] { return room.read(&waiting_room::returned) == notified; }));
      for (int i = 0; i < 10; ++i) yield();
      EXPECT_EQ(room.read(&waiting_room::returned), notified);
    }
    wait_for_counter(done);
    for (std::thread& each : outside) each.join();
    room.changed.notify_one();  // to nobody: not kept
    std::unique_lock guard(room.lock);
    EXPECT_EQ(room.changed.wait_for(guard, 1ms), cv_status::timeout);
  });
}

TEST_P(ConditionVariable, NotifyAll_WakesAll) {
  run(chosen, [] {
    waiting_room room;
    counter done;
    constexpr int fibers = 700;
    for (int i = 0; i < fibers; ++i) spawn_with_counter(done, [&] { room.wait(); });
    std::thread outside([&] { room.wait(); });
    EXPECT_TRUE(eventually_yielding("all wait", [&] { return room.read(&waiting_room::waiting) == fibers + 1; }));
    room.changed.notify_all();
    wait_for_counter(done);
    outside.join();
    EXPECT_EQ(room.returned, fibers + 1);
  });
}

TEST_P(ConditionVariable, NotifyAll_OfAThread_WakesFibersOfTwoRuntimes) {
  waiting_room room;
  const auto wait_in = [&] {
    run(with_workers(2), [&] {
      counter done;
      for (int i = 0; i < 50; ++i) spawn_with_counter(done, [&] { room.wait(); });
      wait_for_counter(done);
    });
  };
  std::thread first(wait_in), second(wait_in);
  EXPECT_TRUE(test::eventually("all wait", [&] { return room.read(&waiting_room::waiting) == 100; }));
  room.changed.notify_all();
  first.join();
  second.join();
  EXPECT_EQ(room.returned, 100);
}

TEST_P(ConditionVariable, WithPredicates) {
  run(chosen, [] {
    mutex lock;
    int value = 0;
    auto other = spawn([&] {
      for (int i = 0; i < 3; ++i) {
        sleep_for(1ms);
        {
          const std::lock_guard guard(lock);
          ++value;
        }
        made_at_compile_time.notify_one();
      }
    });
    std::unique_lock guard(lock);
    made_at_compile_time.wait(guard, [&] { return value == 1; });
    EXPECT_TRUE(made_at_compile_time.wait_for(guard, 1h, [&] { return value == 2; }));
    EXPECT_TRUE(made_at_compile_time.wait_until(guard, std::chrono::system_clock::now() + 1h,  //
                                                [&] { return value == 3; }));
    EXPECT_FALSE(made_at_compile_time.wait_for(guard, 1ms, [&] { return value == 4; }));
    EXPECT_TRUE(made_at_compile_time.wait_for(guard, 1ms, [] { return true; }));
    EXPECT_EQ(made_at_compile_time.wait_until(guard, std::chrono::steady_clock::now() - 1s), cv_status::timeout);
    EXPECT_TRUE(guard.owns_lock());
    guard.unlock();
    other.join();
  });
}

TEST_P(ConditionVariable, StopTokens) {
  run(chosen, [] {
    mutex lock;
    condition_variable_any changed;
    std::stop_source stop;
    bool holds = false;
    auto other = spawn([&] {
      sleep_for(1ms);
      stop.request_stop();
    });
    std::unique_lock guard(lock);
    EXPECT_FALSE(changed.wait(guard, stop.get_token(), [&] { return holds; }));
    EXPECT_FALSE(changed.wait(guard, stop.get_token(), [&] { return holds; })) << "requested before";
    EXPECT_FALSE(changed.wait_for(guard, stop.get_token(), 1h, [&] { return holds; }));
    EXPECT_FALSE(changed.wait_until(guard, stop.get_token(), std::chrono::steady_clock::now() + 1h,  //
                                    [&] { return holds; }));
    EXPECT_EQ(changed.wait(guard, wait_limits(stop.get_token())), wake_reason::cancelled);
    holds = true;
    EXPECT_TRUE(changed.wait(guard, stop.get_token(), [&] { return holds; }));
    EXPECT_FALSE(changed.wait_for(guard, std::stop_token(), 1ms, [] { return false; }));
    other.join();
  });
}

TEST_P(ConditionVariable, WorksWithAnyLock) {
  run(chosen, [] {
    condition_variable changed;
    shared_mutex shared;
    recursive_mutex twice;
    bool holds = false;
    const auto try_with = [&](auto&& lock, auto&& change) {
      holds = false;
      auto other = spawn([&] {
        change();
        changed.notify_all();
      });
      changed.wait(lock, [&] { return holds; });
      lock.unlock();
      other.join();
    };
    const auto change = [&](auto& of) {
      return [&] {
        const std::lock_guard guard(of);
        holds = true;
      };
    };
    try_with(std::shared_lock(shared), change(shared));
    try_with(std::unique_lock(twice), change(twice));
    shared.lock();
    try_with(shared, change(shared));
  });
}

TEST_P(ConditionVariable, ALockThatThrows_TakesTheWaiterBack) {
  struct brittle {
    mutex of;
    bool throws = false;
    void lock() { of.lock(); }
    void unlock() {
      if (throws) throw std::runtime_error("no");
      of.unlock();
    }
  };
  run(chosen, [] {
    condition_variable changed;
    brittle lock;
    lock.lock();
    lock.throws = true;
    EXPECT_THROW(changed.wait(lock), std::runtime_error);
    lock.throws = false;
    lock.unlock();
  });  // destroyed: nobody waits
}

// A wait that is shielded, and was begun before the scope was cancelled.
TEST_P(ConditionVariable, InAFunctionThatThrowsNothing_AwaitsItsNotification) {
  run(chosen, [] {
    struct meeting {
      mutex lock;
      condition_variable changed;
      bool waits = false;
      bool is_over = false;
      void await_end() noexcept {
        std::unique_lock guard(lock);
        waits = true;
        changed.wait(guard, [this] { return is_over; });
      }
    } met;
    with_scope([&](scope& s) {
      auto waiter = s.spawn([&] { met.await_end(); });
      const shield here;
      EXPECT_TRUE(eventually_yielding("it waits", [&] {
        const std::lock_guard guard(met.lock);
        return met.waits;
      }));
      s.request_stop();
      for (int i = 0; i < 10; ++i) yield();
      {
        const std::lock_guard guard(met.lock);
        met.is_over = true;
      }
      met.changed.notify_one();
      ASSERT_TRUE(eventually_yielding("it goes on", [&] { return waiter.done(); }));
    });
  });
}

void wait_beyond_deadline() {
  mutex lock;
  condition_variable changed;
  std::unique_lock guard(lock);
  try {
    with_scope({.limits = 1ms}, [&](scope&) { changed.wait(guard); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const cancelled& why) {
    EXPECT_EQ(why.reason(), wake_reason::timed_out);
  }
  EXPECT_TRUE(guard.owns_lock());
}
TEST_P(ConditionVariable, TheDeadlineOfAScopeEndsAWait) { run(chosen, wait_beyond_deadline); }
TEST(ConditionVariableOfThreads, TheDeadlineOfAScopeEndsAWait) { wait_beyond_deadline(); }

// The standard's rule: destroyed when all are notified, while they, or those whose time was over, still return.
TEST_P(ConditionVariable, IsDestroyedWhileOthersStillReturn) {
  run(chosen, [] {
    for (int round = 0; round < 200; ++round) {
      mutex lock;
      auto changed = std::make_unique<condition_variable>();
      condition_variable& of = *changed;
      int waiting = 0;
      counter done;
      for (int i = 0; i < 6; ++i) {
        spawn_with_counter(done, [&, i] {
          std::unique_lock guard(lock);
          ++waiting;
          if (i % 2 == 0) {
            of.wait(guard);
          } else {
            static_cast<void>(of.wait_for(guard, std::chrono::microseconds(i * 10)));
          }
        });
      }
      EXPECT_TRUE(eventually_yielding("all wait", [&] {
        const std::lock_guard guard(lock);
        return waiting == 6;
      }));
      {
        const std::lock_guard guard(lock);
        of.notify_all();
        changed.reset();
      }
      wait_for_counter(done);
    }
  });
}

TEST(ConditionVariableDeathTest, DestroyedWhileWaitedFor_EndsTheProcess) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     mutex lock;
                     auto doomed = std::make_unique<condition_variable>();
                     auto waiter = spawn([&] {
                       std::unique_lock guard(lock);
                       doomed->wait(guard);
                     });
                     for (int i = 0; i < 10; ++i) yield();
                     doomed.reset();
                     waiter.join();
                   }),
               "a condition_variable was destroyed while fibers or threads wait for it.*Notify them first");
}

// Producers and consumers of a number, with timed and cancelled waits: each notify_one() serves one, and none is lost
// to a waiter whose time was over.
void storm(std::uint64_t seed, unsigned workers) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr int produced = 3'000;
  mutex lock;
  condition_variable more;
  int left = 0;
  int consumed = 0;
  bool over = false;
  const auto consume = [&](std::uint64_t mine) {
    random_source random(mine);
    std::unique_lock guard(lock);
    for (;;) {
      // One notification an item: a waiter that times out must not have taken one.
      if (left == 0 && !over) {
        switch (random.below(3)) {
          case 0: more.wait(guard); break;
          case 1: static_cast<void>(more.wait_for(guard, std::chrono::microseconds(random.below(60)))); break;
          default: {
            std::stop_source stop;
            if (random.below(2) == 0) stop.request_stop();
            static_cast<void>(more.wait(guard, {std::chrono::microseconds(random.below(60)), stop.get_token()}));
          }
        }
      }
      if (left > 0) {
        --left;
        ++consumed;
      } else if (over) {
        return;
      }
    }
  };
  std::vector<std::thread> outside;
  for (unsigned i = 0; i < 2; ++i) outside.emplace_back([&, i] { consume(seed * 100 + i); });
  run(with_workers(workers), [&] {
    counter done;
    for (unsigned i = 0; i < 8; ++i) spawn_with_counter(done, [&, i] { consume(seed * 100 + 50 + i); });
    for (int i = 0; i < produced; ++i) {
      {
        const std::lock_guard guard(lock);
        ++left;
      }
      more.notify_one();
      if (i % 5 == 0) yield();
    }
    EXPECT_TRUE(eventually_yielding("all is consumed", [&] {
      const std::lock_guard guard(lock);
      return consumed == produced;
    }));
    {
      const std::lock_guard guard(lock);
      over = true;
    }
    more.notify_all();
    wait_for_counter(done);
  });
  for (std::thread& each : outside) each.join();
}

TEST(ConditionVariableStorm, NoNotificationIsLost) {
  for (const std::uint64_t seed : test::seeds(3)) {
    for (const unsigned workers : {1U, 4U}) storm(seed, workers);
  }
}

}  // namespace
}  // namespace ramie
