// An idle runtime costs nothing.
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

// `idle` is 1 s, 5 s in the nightly run; the bound is what a handful of timer ticks may charge by accident.
void expect_no_cpu_time() {
  std::this_thread::sleep_for(300ms);  // workers fall asleep
  const auto before = test::cpu_time();
  std::this_thread::sleep_for(test::nightly() ? 5s : 1s);
  // The sanitizers' own threads wake now and then.
  EXPECT_LT(test::cpu_time() - before, test::sanitized ? 100ms : 5ms);
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
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(2ms);
    auto fiber = home.spawn([i] { return i; });
    EXPECT_EQ(fiber.join(), i);
  }
  std::uint64_t parks = 0;
  for (const worker_statistics& each : home.statistics()) parks += each.parks;
  EXPECT_GT(parks, 0U);
}

}  // namespace
}  // namespace ramie
