// Threads that wait: spinning, futexes, timeouts. A thread that waits for ever is a failure.
#include <model/litmus.hpp>

namespace ramie::model {
namespace {

// ---- Spinning ----

std::function<void()> spin(bool somebody_stores) {
  return [=] {
    cells at;
    threads(
        [&] {
          while (at.x.load(acquire) == 0) provider::pause();
          require(at.y.load(relaxed) == 1, "y before x");
        },
        [&] {
          at.y.store(1, relaxed);
          if (somebody_stores) at.x.store(1, release);
        });
  };
}

TEST(Spinning, EndsWithTheStore) {
  expect_success(spin(true));
  expect_success(spin(true), bounded_search);
  expect_success(spin(true), random_walks);
}

TEST(Spinning, ForEverIsFound) {
  expect_failure(spin(false), "nobody can go on: thread 1 (litmus_waiting_test.cpp:");
  expect_failure(spin(false), "nobody can go on: thread 1 (", bounded_search);
  expect_failure(spin(false), "nobody can go on: thread 1 (", random_walks);
}

// Old values may be read again and again, but a thread that pauses sees the new one sometime.
TEST(Spinning, OnStaleValue_EndsInEverySearch) {
  const auto body = [] {
    cells at;
    threads(
        [&] {
          while (at.x.load(relaxed) < 2) provider::pause();
        },
        [&] {
          at.x.store(1, relaxed);
          at.x.store(2, relaxed);
          at.y.store(1, relaxed);
        });
  };
  expect_success(body);
  expect_success(body, bounded_search);
  expect_success(body, random_walks);
}

TEST(Spinning, TwoWhoWaitForEachOther_AreFound) {
  const auto body = [] {
    cells at;
    threads(
        [&] {
          while (at.x.load(acquire) == 0) provider::pause();
          at.y.store(1, release);
        },
        [&] {
          while (at.y.load(acquire) == 0) provider::pause();
          at.x.store(1, release);
        });
  };
  expect_failure(body, "wait for ever");
  expect_failure(body, "thread 1 (", bounded_search);
  expect_failure(body, ", thread 2 (", random_walks);
}

// Each attempt writes 1 again: that is no news for the others.
TEST(Spinning, OnLockThatIsKept_IsFound) {
  const auto body = [](bool released) {
    return [=] {
      cells at;
      const auto take = [&] {
        while (at.x.exchange(1, acquire) == 1) provider::pause();
        if (released) at.x.store(0, release);
      };
      threads(take, take, take);
    };
  };
  for (const limits& within : {limits{}, bounded_search, random_walks}) {
    expect_failure(body(false), "wait for ever", within);
    expect_success(body(true), within);
  }
}

TEST(Spinning, WithoutPause_MeetsTheLimitOfSteps) {
  expect_failure(
      [] {
        cells at;
        threads([&] {
          while (at.x.load(relaxed) == 0) {
          }
        });
      },
      "thread 1 has taken 100 steps in one execution: a loop without pause()?", {.steps = 100});
}

TEST(Spinning, BeforeAnyRead_IsRefused) {
  expect_failure([] { threads([] { provider::pause(); }); }, "by a thread that has read nothing");
}

// ---- futex ----

using word = atomic<std::uint32_t>;

enum class wake { after_store, before_store, without_store, never };

std::function<void()> wait_and_wake(wake how) {
  return [=] {
    word ready{0};
    threads(
        [&] {
          while (ready.load(acquire) == 0) provider::futex_wait(ready, 0);
        },
        [&] {
          if (how == wake::before_store) provider::futex_wake(ready, 1);
          if (how != wake::without_store) ready.store(1, release);
          if (how == wake::after_store || how == wake::without_store) provider::futex_wake(ready, 1);
        });
  };
}

TEST(Futex, StoreThenWake_IsNeverLost) {
  expect_success(wait_and_wake(wake::after_store));
  expect_success(wait_and_wake(wake::after_store), bounded_search);
  expect_success(wait_and_wake(wake::after_store), random_walks);
}

TEST(Futex, LostWakeUp_IsFoundAsDeadlock) {
  for (const wake how : {wake::before_store, wake::never, wake::without_store}) {
    expect_failure(wait_and_wake(how), "nobody can go on: thread 1 (");
    expect_failure(wait_and_wake(how), "nobody can go on: thread 1 (", bounded_search);
    expect_failure(wait_and_wake(how), "nobody can go on: thread 1 (", random_walks);
  }
}

// The kernel looks at the word under the lock that the waker takes: a relaxed store is enough for waking, and publishes
// nothing.
TEST(Futex, WakeUpOrdersTheWordAlone) {
  const results found = outcomes_of([] {
    word ready{0};
    cells at;
    int r = -1;
    threads(
        [&] {
          while (ready.load(relaxed) == 0) provider::futex_wait(ready, 0);
          r = at.x.load(relaxed);
        },
        [&] {
          at.x.store(1, relaxed);
          ready.store(1, relaxed);
          provider::futex_wake(ready, 1);
        });
    registers(r);
  });
  EXPECT_EQ(found, every_bit(1));
}

std::function<void()> two_sleepers(int woken) {
  return [=] {
    word ready{0};
    const auto sleep = [&] {
      while (ready.load(acquire) == 0) provider::futex_wait(ready, 0);
    };
    threads(sleep, sleep, [&] {
      ready.store(1, release);
      provider::futex_wake(ready, woken);
    });
  };
}

TEST(Futex, WakesAsManyAsItIsTold) {
  expect_success(two_sleepers(2));
  expect_success(two_sleepers(1000));
  expect_failure(two_sleepers(1), "nobody can go on: thread");
  expect_failure(two_sleepers(0), "nobody can go on: thread 1");
}

TEST(Futex, WokenOneMayWakeTheNext) {
  expect_success([] {
    word ready{0};
    const auto sleep = [&] {
      while (ready.load(acquire) == 0) provider::futex_wait(ready, 0);
      provider::futex_wake(ready, 1);
    };
    threads(sleep, sleep, [&] {
      ready.store(1, release);
      provider::futex_wake(ready, 1);
    });
  });
}

TEST(Futex, MutexOfThreeStates_Works) {
  // Drepper, "Futexes are tricky": 0 free, 1 locked, 2 locked and contended.
  const auto body = [](int woken) {
    return [=] {
      word state{0};
      plain<int> count{0};
      const auto add = [&] {
        std::uint32_t seen = 0;
        if (!state.compare_exchange_strong(seen, 1, acquire, relaxed)) {
          while (state.exchange(2, acquire) != 0) provider::futex_wait(state, 2);
        }
        count = count + 1;
        if (state.exchange(0, release) == 2) provider::futex_wake(state, woken);
      };
      threads(add, add, add);
      require(count == 3, "all have counted");
    };
  };
  expect_success(body(1));
  expect_failure(body(0), "nobody can go on");
}

TEST(Futex, TimeMayRunOutOrNot) {
  const results found = outcomes_of([] {
    word ready{0};
    int in_time = -1, r = -1;
    threads(
        [&] {
          in_time = provider::futex_wait_for(ready, 0, std::chrono::seconds(1)) ? 1 : 0;
          r = static_cast<int>(ready.load(relaxed));
        },
        [&] {
          ready.store(1, relaxed);
          provider::futex_wake(ready, 1);
        });
    registers(in_time, r);
  });
  // Woken, or not asleep at all because the word is 1 already: the load may not be older than that look.
  EXPECT_EQ(found, (results{"0 0", "0 1", "1 1"}));
}

// Nobody wakes it, but its time runs out: no deadlock.
TEST(Futex, SleepWithTimeout_IsNotForEver) {
  const auto body = [] {
    word ready{0};
    bool in_time = true;
    threads([&] { in_time = provider::futex_wait_for(ready, 0, std::chrono::seconds(1)); });
    require(!in_time, "nobody has woken it");
  };
  expect_success(body);
  expect_success(body, bounded_search);
  expect_success(body, random_walks);
}

// ... and what it does then may be what another one waits for.
TEST(Futex, SleepWithTimeout_LetsOthersWait) {
  expect_success([] {
    word ready{0}, other{0};
    threads(
        [&] {
          provider::futex_wait_for(ready, 0, std::chrono::seconds(1));
          other.store(1, release);
          provider::futex_wake(other, 1);
        },
        [&] {
          while (other.load(acquire) == 0) provider::futex_wait(other, 0);
        });
  });
}

}  // namespace
}  // namespace ramie::model
