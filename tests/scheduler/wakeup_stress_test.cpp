// No wake-up is lost: work that only a second worker can do, because the first one does not give way. A lost one hangs
// (and the watchdog says where).
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <tuple>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;

using choice = std::tuple<unsigned, std::chrono::nanoseconds>;
class WakeUpStress : public ::testing::TestWithParam<choice> {
 protected:
  WakeUpStress() {
    chosen.workers = std::get<0>(GetParam());
    chosen.spin = std::get<1>(GetParam());
  }
  // Workers are still looking, just falling asleep, or asleep.
  static void pause_between(std::uint64_t round) {
    if (round % 3 == 1) std::this_thread::sleep_for(std::chrono::microseconds(round % 60));
    if (round % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(400));
  }
  options chosen;
  const unsigned rounds = (test::sanitized ? 100 : 400) * test::repetitions(1);
};
INSTANTIATE_TEST_SUITE_P(WorkersAndSpin, WakeUpStress,
                         ::testing::Combine(::testing::Values(2U, 3U, 8U),
                                            ::testing::Values(std::chrono::nanoseconds(0),
                                                              std::chrono::nanoseconds(30'000))));

// Spins on the kernel's terms: with more workers than processors the one that is needed must get its turn.
void hold_until(const std::atomic<int>& arrived, int wanted) {
  while (arrived < wanted) std::this_thread::yield();
}

TEST_P(WakeUpStress, AChild_WhileItsSpawnerHoldsTheWorker) {
  const watchdog limit("child against its spawner");
  run(chosen, [&] {
    for (test::rounds race(rounds); race.next();) {
      std::atomic<int> arrived{0};
      auto child = spawn([&] { ++arrived; });
      hold_until(arrived, 1);
      child.join();
      pause_between(race.begun());
    }
  });
}

TEST_P(WakeUpStress, TwoFromOutside_WhoNeedEachOther) {
  const watchdog limit("two foreign spawns");
  runtime home(chosen);
  home.start();
  for (test::rounds race(rounds); race.next();) {
    std::atomic<int> arrived{0};
    std::vector<join_handle<void>> both;
    for (int i = 0; i < 2; ++i) both.push_back(home.spawn([&] { ++arrived, hold_until(arrived, 2); }));
    for (auto& each : both) each.join();
    pause_between(race.begun());
  }
}

TEST_P(WakeUpStress, AsManyAsWorkers_SpawnedByOne) {
  const watchdog limit("one spawn a worker");
  const int all = static_cast<int>(chosen.workers);
  run(chosen, [&] {
    for (test::rounds race(rounds / 4); race.next();) {
      std::atomic<int> arrived{0};
      counter done;
      for (int i = 1; i < all; ++i) spawn_with_counter(done, [&] { ++arrived, hold_until(arrived, all); });
      ++arrived;
      hold_until(arrived, all);
      wait_for_counter(done);
      pause_between(race.begun());
    }
  });
}

// One decrement wakes many; the wake goes in as one chain where they are more than a few.
TEST_P(WakeUpStress, AsManyAsWorkers_WokenByOneDecrement) {
  const watchdog limit("one decrement wakes all");
  const int all = static_cast<int>(chosen.workers);
  runtime home(chosen);
  home.start();
  for (test::rounds race(rounds / 4); race.next();) {
    counter gate(1), begun(40);
    std::atomic<int> arrived{0};
    std::vector<join_handle<void>> waiters;
    const int count = race.begun() % 2 == 0 ? all : 40;
    begun.decrement(40 - count);
    for (int i = 0; i < count; ++i) {
      waiters.push_back(home.spawn([&] {
        begun.decrement();
        wait_for_counter(gate);
        ++arrived;
        hold_until(arrived, all);
      }));
    }
    wait_for_counter(begun);
    pause_between(race.begun());
    if (race.begun() % 3 == 0) {
      gate.decrement();
    } else {
      home.spawn([&] { gate.decrement(); }).detach();
    }
    for (auto& each : waiters) each.join();
  }
  home.stop();
}

// Two runtimes hand one fiber's turn to and fro, each asleep when its turn comes.
TEST_P(WakeUpStress, PingPongBetweenTwoRuntimes) {
  const watchdog limit("ping-pong");
  runtime left(chosen), right(chosen);
  left.start();
  right.start();
  auto sum = left.spawn([&] {
    unsigned total = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      auto there = right.spawn([round] { return round; });
      total += there.join();
    }
    return total;
  });
  EXPECT_EQ(sum.join(), rounds * (rounds - 1) / 2);
}

}  // namespace
}  // namespace ramie
