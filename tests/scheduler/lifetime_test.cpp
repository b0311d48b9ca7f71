// What must live until when: items that were pushed, results of detached fibers, workers while stop() waits.
#include <ramie/ramie.hpp>

#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <sys/resource.h>
#include <thread>

namespace ramie {
namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A batch from the injector lies open to thieves as soon as it is in the lane: ASan and TSan see whoever touches it
// then.
TEST(Lifetime, Stress_InjectedTasksAreNotTouchedAfterTheyWerePushed) {
  const int spawns = 2000 * static_cast<int>(ramie::test::repetitions());
  std::atomic<int> ran{0};
  runtime fibers({.workers = 4});
  fibers.start();
  for (int i = 0; i < spawns; ++i) {
    const std::array<char, 200> large{static_cast<char>(i)};  // beyond the pool: its memory is freed at the end
    fibers.spawn([&ran, large] { ran += large[1] + 1; }).detach();
  }
  fibers.stop();
  EXPECT_EQ(ran.load(), spawns);
}

struct waits_at_its_end {
  counter* gate;
  explicit waits_at_its_end(counter& until) : gate(&until) {}
  waits_at_its_end(waits_at_its_end&& other) noexcept : gate(std::exchange(other.gate, nullptr)) {}
  waits_at_its_end& operator=(waits_at_its_end&&) = delete;
  ~waits_at_its_end() {
    if (gate != nullptr) wait_for_counter(*gate);
  }
};

TEST(Lifetime, ARunIsNotOver_WhileADetachedResultIsBeingDestroyed) {
  for (int i = 0; i < 20; ++i) {
    counter gate(1);
    std::atomic<bool> opened{false};
    runtime fibers({.workers = 2});
    fibers.spawn([&] { return waits_at_its_end(gate); }).detach();
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      opened = true;
      gate.decrement();
    });
    fibers.run();
    EXPECT_TRUE(opened.load());
    opener.join();
  }
}

TEST(Lifetime, StopUsesNoCpuWhileItWaits_WithManyWorkers) {
  runtime fibers({.workers = 64});
  fibers.start();
  counter gate(1);
  fibers.spawn([&] { wait_for_counter(gate); }).detach();
  std::thread stopper([&] { fibers.stop(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until all have looked and sleep again
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(cpu_seconds() - before, 0.05);
  gate.decrement();
  stopper.join();
}

TEST(LifetimeDeathTest, TwoJoinersOfOneHandle_AreToldSo) {
  EXPECT_DEATH(run({.workers = 1},
                   [] {
                     counter gate(1);
                     auto shared = spawn([&] { wait_for_counter(gate); });
                     auto first = spawn([&] { shared.join(); });
                     auto second = spawn([&] { shared.join(); });
                     first.join();
                     second.join();
                   }),
               "two join\\(\\) calls wait on one handle");
}

}  // namespace
}  // namespace ramie
