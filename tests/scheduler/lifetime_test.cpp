// Lifetimes: items that were pushed, results of detached fibers, workers while stop() waits.
#include <ramie/ramie.hpp>

#include <support/eventually.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace ramie {
namespace {

// A batch from the injector lies open to thieves as soon as it is in the lane: ASan and TSan see an access after that.
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
  std::atomic<bool> stopping{false};
  std::thread stopper([&] {
    stopping = true;
    fibers.stop();
  });
  EXPECT_TRUE(test::eventually("all workers, and the thread that stops them, sleep on",
                               [&] { return stopping && test::others_sleep_for(std::chrono::milliseconds(200)); }));
  gate.decrement();
  stopper.join();
}

TEST(Lifetime, TheSecondJoinerOfAHandle_IsToldThatItIsEmpty) {
  run({.workers = 1}, [] {
    counter gate(1);
    auto shared = spawn([&] { wait_for_counter(gate); });
    bool joins = false;
    auto first = spawn([&] {
      joins = true;
      shared.join();
    });
    while (!joins) yield();
    EXPECT_THROW(shared.join(), misuse);
    gate.decrement();
    first.join();
  });
}

// The holder of the task itself can make two handles of it, and should not.
TEST(LifetimeDeathTest, TwoJoinersOfOneFiber_AreToldSo) {
  EXPECT_DEATH(run({.workers = 1},
                   [] {
                     counter gate(1);
                     auto shared = spawn([&] { wait_for_counter(gate); });
                     auto* const task = shared.release();
                     auto first = spawn([&] { join_handle<void>(*task).join(); });
                     auto second = spawn([&] { join_handle<void>(*task).join(); });
                     first.join();
                     second.join();
                   }),
               "two waits on one handle");
}

}  // namespace
}  // namespace ramie
