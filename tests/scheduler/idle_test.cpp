// An idle runtime costs nothing.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <chrono>
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

}  // namespace
}  // namespace ramie
