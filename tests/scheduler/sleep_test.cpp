// Sleeping, and the deadlines of a runtime: one worker keeps the time, and any free one runs expired timers.
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

// Its time is negative.
struct early_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<early_clock>;
  [[maybe_unused]] static constexpr bool is_steady = true;
  static time_point now() { return time_point(steady_clock::now().time_since_epoch() - 1'000'000h); }
};

TEST_P(Sleep, TakesDeadlinesOfOtherClocks) {
  run(chosen, [] {
    EXPECT_EQ(sleep_until(std::chrono::system_clock::now() + 2ms), wake_reason::timed_out);
    EXPECT_EQ(sleep_until(early_clock::now() + 2ms), wake_reason::timed_out);
    EXPECT_EQ(sleep_until(std::chrono::system_clock::time_point::min()), wake_reason::timed_out);
    EXPECT_EQ(sleep_until(early_clock::time_point::min()), wake_reason::timed_out);
    std::stop_source stop;
    std::vector<join_handle<wake_reason>> sleepers;
    const auto begin = [&](auto until) {
      sleepers.push_back(spawn([until, token = stop.get_token()] { return sleep_until(until, token); }));
    };
    begin(std::chrono::system_clock::time_point::max());
    begin(std::chrono::sys_seconds::max());
    begin(std::chrono::sys_days::max());
    begin(early_clock::time_point::max());
    sleep_for(2ms);
    stop.request_stop();
    for (auto& each : sleepers) EXPECT_EQ(each.join(), wake_reason::cancelled);
  });
}

// On one worker, those who ask again and again with a limit that has passed let the others run.
TEST_P(Sleep, OfNoTime_LetsOthersRun) {
  run(chosen, [] {
    auto first = spawn([] { return 1; });
    while (!first.done()) sleep_for(0ns);
    auto second = spawn([] { return 2; });
    while (second.wait(0ns) != wake_reason::woken) {
    }
    std::stop_source stop;
    stop.request_stop();
    auto third = spawn([] { return 3; });
    while (third.wait(stop.get_token()) != wake_reason::woken) {
    }
    EXPECT_EQ(first.join() + second.join() + third.join(), 6);
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

// A fiber that sleeps again and again wakes its own worker, and no other one.
TEST(Timekeeper, OfALonelySleeper_IsItsWorker) {
  options chosen = with_workers(4);
  chosen.spin = 0ns;
  runtime home(chosen);
  home.start();
  constexpr std::uint64_t sleeps = 200;
  const auto parks = [&] {
    std::uint64_t sum = 0;
    for (const worker_statistics& each : home.statistics()) sum += each.parks;
    return sum;
  };
  EXPECT_TRUE(test::eventually("about one sleep of a worker for each of the fiber", [&] {
    const std::uint64_t before = parks();
    home.spawn([] {
          for (std::uint64_t i = 0; i < sleeps; ++i) sleep_for(100us);
        })
        .join();
    return parks() - before < sleeps * 3 / 2;
  }));
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
