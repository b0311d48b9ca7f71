// Sleeping, and the deadlines of a runtime: who keeps the time, and who runs what is due.
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::with_workers;

class Sleep : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Sleep, ::testing::Values(1U, 2U, 4U));

TEST_P(Sleep, LastsAtLeastItsTime) {
  run(chosen, [] {
    for (const auto time : {1us, 100us, 3000us}) {
      const auto begun = steady_clock::now();
      EXPECT_EQ(sleep_for(time), wake_reason::timed_out);
      EXPECT_GE(steady_clock::now() - begun, time);
    }
    const auto when = steady_clock::now() + 2ms;
    EXPECT_EQ(sleep_until(when), wake_reason::timed_out);
    EXPECT_GE(steady_clock::now(), when);
  });
}

TEST_P(Sleep, IsOverAtOnce_WhereItsTimeHasPassed) {
  run(chosen, [] {
    EXPECT_EQ(sleep_for(0s), wake_reason::timed_out);
    EXPECT_EQ(sleep_for(-5s), wake_reason::timed_out);
    EXPECT_EQ(sleep_for(std::chrono::seconds::min()), wake_reason::timed_out);
    EXPECT_EQ(sleep_until(steady_clock::time_point{}), wake_reason::timed_out);
    EXPECT_EQ(sleep_until(steady_clock::time_point::min()), wake_reason::timed_out);
    EXPECT_EQ(sleep_until(std::chrono::system_clock::now() - 1h), wake_reason::timed_out);
    EXPECT_EQ(sleep_for(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())),
              wake_reason::timed_out);
  });
}

TEST_P(Sleep, TakesDeadlinesOfOtherClocks) {
  run(chosen, [] {
    const auto when = std::chrono::system_clock::now() + 2ms;
    EXPECT_EQ(sleep_until(when), wake_reason::timed_out);
  });
}

TEST_P(Sleep, MayLastForEver_AndBeCancelled) {
  run(chosen, [] {
    std::stop_source stop;
    std::vector<join_handle<wake_reason>> sleepers;
    const auto begin = [&](auto limits) {
      sleepers.push_back(spawn([limits, token = stop.get_token()] { return sleep_for(limits, token); }));
    };
    begin(std::chrono::hours::max());
    begin(std::chrono::nanoseconds::max());
    begin(std::chrono::duration<double>(std::numeric_limits<double>::infinity()));
    begin(24h);
    sleepers.push_back(
        spawn([token = stop.get_token()] { return sleep_until(steady_clock::time_point::max(), token); }));
    for (int i = 0; i < 10; ++i) yield();
    stop.request_stop();
    for (auto& each : sleepers) EXPECT_EQ(each.join(), wake_reason::cancelled);
    EXPECT_EQ(sleep_for(24h, stop.get_token()), wake_reason::cancelled);
  });
}

TEST_P(Sleep, OfThousandsEndsInTheOrderOfTime) {
  run(chosen, [] {
    counter done;
    std::atomic<int> early{0};
    for (int i = 0; i < 2'000; ++i) {
      spawn_with_counter(done, [&early, i] {
        const auto when = steady_clock::now() + std::chrono::microseconds(i * 7919 % 20'000);
        sleep_until(when);
        if (steady_clock::now() < when) ++early;
      });
    }
    wait_for_counter(done);
    EXPECT_EQ(early, 0);
  });
}

TEST_P(Sleep, EndsBesideAFiberThatOnlyYields) {
  run(chosen, [] {
    std::atomic<bool> awake{false};
    auto sleeper = spawn([&] {
      sleep_for(1ms);
      awake = true;
    });
    EXPECT_TRUE(test::eventually_yielding("the sleeper wakes", [&] { return awake.load(); }));
    sleeper.join();
  });
}

TEST_P(Sleep, UsesTheTimeOfOthers) {
  run(chosen, [] {
    constexpr int sleepers = 100;
    const auto begun = steady_clock::now();
    counter done;
    for (int i = 0; i < sleepers; ++i) spawn_with_counter(done, [] { sleep_for(100ms); });
    wait_for_counter(done);
    EXPECT_LT(steady_clock::now() - begun, sleepers * 100ms);
  });
}

TEST(SleepOnAThread, NeedsNoRuntime) {
  const auto begun = steady_clock::now();
  EXPECT_EQ(sleep_for(2ms), wake_reason::timed_out);
  EXPECT_GE(steady_clock::now() - begun, 2ms);
  EXPECT_EQ(sleep_until(begun), wake_reason::timed_out);
  std::stop_source stop;
  std::thread other([&] { stop.request_stop(); });
  EXPECT_EQ(sleep_for(24h, stop.get_token()), wake_reason::cancelled);
  other.join();
}

// The first timer makes a sleeping worker the timekeeper, for an hour. A second one comes much earlier, from a worker
// that does nothing else afterwards: so the timekeeper must be told.
TEST(Timekeeper, IsToldOfAnEarlierDeadline) {
  run(with_workers(2), [] {
    std::stop_source stop;
    auto late = spawn([&] { return sleep_for(1h, stop.get_token()); });
    sleep_for(5ms);  // both workers have slept, and one keeps the time
    std::atomic<bool> awake{false};
    auto early = spawn([&] {
      auto earlier = spawn([&] {
        sleep_for(1ms);
        awake = true;
      });
      // Whichever worker this is on: the deadline is in the heap of one of the two, and here nobody looks.
      EXPECT_TRUE(test::eventually("another worker wakes it", [&] { return awake.load(); }));
      earlier.join();
    });
    early.join();
    stop.request_stop();
    EXPECT_EQ(late.join(), wake_reason::cancelled);
  });
}

// Two fibers that never give way, on two of three workers, and timers in the heaps of all three.
TEST(Timekeeper, EndsWaitsOfWorkersThatAreBusy) {
  run(with_workers(3), [] {
    std::atomic<int> awake{0};
    constexpr int sleepers = 30;
    counter done;
    for (int i = 0; i < sleepers; ++i) {
      spawn_with_counter(done, [&] {
        sleep_for(2ms);
        sleep_for(2ms);
        ++awake;
      });
    }
    for (int i = 0; i < 2; ++i) {
      spawn_with_counter(
          done, [&] { EXPECT_TRUE(test::eventually("all sleepers wake", [&] { return awake == sleepers; })); });
    }
    wait_for_counter(done);
  });
}

// One worker has a long task, the other one yields and never falls asleep: so nobody keeps the time.
TEST(Timekeeper, IsNotNeeded_WhereAnotherWorkerIsBusy) {
  run(with_workers(2), [] {
    std::atomic<bool> over{false};
    std::atomic<int> awake{0};
    counter done;
    spawn_with_counter(done, [&] {
      EXPECT_TRUE(test::eventually("all sleepers wake", [&] { return awake == 20; }));
      over = true;
    });
    for (int i = 0; i < 20; ++i) {
      spawn_with_counter(done, [&] {
        sleep_for(1ms);
        ++awake;
      });
    }
    EXPECT_TRUE(test::eventually_yielding("the long task is over", [&] { return over.load(); }));
    wait_for_counter(done);
  });
}

// A deadline alone keeps no processor busy.
TEST(Timekeeper, SleepsUntilTheDeadline) {
  runtime home(with_workers(4));
  home.start();
  std::stop_source stop;
  auto sleeper = home.spawn([&] { return sleep_for(1h, stop.get_token()); });
  const auto parks = [&] {
    std::uint64_t sum = 0;
    for (const worker_statistics& each : home.statistics()) sum += each.parks;
    return sum;
  };
  std::uint64_t before = 0;
  EXPECT_TRUE(test::eventually("nobody wakes for 100 ms", [&] {
    before = parks();
    std::this_thread::sleep_for(100ms);
    return before != 0 && parks() == before;
  }));
  stop.request_stop();
  EXPECT_EQ(sleeper.join(), wake_reason::cancelled);
}

}  // namespace
}  // namespace ramie
