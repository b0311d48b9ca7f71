// An idle runtime costs nothing.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

class Idle : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, Idle, ::testing::Values(2U, 16U));

void expect_no_cpu_time() {
  EXPECT_TRUE(test::eventually("all workers sleep on",
                               [] { return test::others_sleep_for(test::nightly() ? 5000ms : 300ms); }));
}

TEST_P(Idle, UsesNoProcessorTime_BeforeAnyWork) {
  runtime home(with_workers(GetParam()));
  home.start();
  expect_no_cpu_time();
}

TEST_P(Idle, UsesNoProcessorTime_AfterWork_WhileAFiberWaits) {
  runtime home(with_workers(GetParam()));
  home.start();
  counter gate(1);
  auto waits = home.spawn([&] {
    counter done;
    for (int i = 0; i < 500; ++i) spawn_with_counter(done, [] { yield(); });
    wait_for_counter(done);
    wait_for_counter(gate);
  });
  expect_no_cpu_time();
  gate.decrement();
  waits.join();
}

TEST_P(Idle, WakesForWork_AgainAndAgain) {
  runtime home(with_workers(GetParam()));
  home.start();
  const auto parks = [&] {
    std::uint64_t sum = 0;
    for (const worker_statistics& each : home.statistics()) sum += each.parks;
    return sum;
  };
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(test::eventually("a worker falls asleep again", [&] { return parks() > before; }));
    before = parks();
    auto fiber = home.spawn([i] { return i; });
    EXPECT_EQ(fiber.join(), i);
  }
}

// A thief finds that the owner keeps its tasks to itself, asks, and falls asleep. The pop that answers wakes it.
class IdleThief : public ::testing::TestWithParam<queue::kind> {};
INSTANTIATE_TEST_SUITE_P(Queues, IdleThief, ::testing::ValuesIn(queue::all_kinds),
                         [](const auto& info) { return std::string(queue::name_of(info.param)); });

TEST_P(IdleThief, IsWokenByThePopThatGivesItWork) {
  options chosen = with_workers(2);
  chosen.queue = GetParam();
  runtime home(chosen);
  std::atomic<bool> queued{false}, busy{false}, together{true};
  std::atomic<int> begun{0};
  const auto together_with_another = [&] {
    ++begun;
    together = together && test::eventually("the other worker has the other task", [&] { return begun == 2; });
  };
  home.start();
  auto keeps_a_worker_busy = home.spawn([&] {
    busy = true;
    EXPECT_TRUE(test::eventually("two tasks are queued", [&] { return queued.load(); }));
  });
  ASSERT_TRUE(test::eventually("one worker is busy", [&] { return busy.load(); }));
  auto owner = home.spawn([&] {
    auto first = spawn(together_with_another);
    auto second = spawn(together_with_another);
    const auto progress = [&] {
      std::uint64_t all = static_cast<std::uint64_t>(begun.load());
      for (const worker_statistics& each : home.statistics()) all += each.parks;
      return all;
    };
    const std::uint64_t before = progress();
    queued = true;
    // A queue that lends itself to it is robbed of a task instead, or even before the thief asks.
    EXPECT_TRUE(test::eventually("the other worker sleeps, or has a task", [&] { return progress() > before; }));
    first.join();
    second.join();
  });
  owner.join();
  keeps_a_worker_busy.join();
  EXPECT_TRUE(together) << "a worker slept beside a task that was for it";
}

}  // namespace
}  // namespace ramie
