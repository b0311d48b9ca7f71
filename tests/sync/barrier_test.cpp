// barrier: as the standard has it, between fibers and threads, with limits.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/sync/barrier.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::watchdog;
using test::with_workers;

class Barrier : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Barrier, ::testing::Values(1U, 2U, 4U));

TEST(BarrierValue, PhasesOfOne) {
  int phases = 0;
  const auto complete = [&phases]() noexcept { ++phases; };
  barrier of(1, complete);
  static_assert(std::is_same_v<decltype(of), barrier<decltype(complete)>> ||
                std::is_same_v<decltype(of), barrier<std::remove_const_t<decltype(complete)>>>);
  static_assert(!std::is_copy_constructible_v<barrier<>> && std::is_move_constructible_v<barrier<>::arrival_token>);
  static_assert(barrier<>::max() >= 1'000'000);
  for (int i = 1; i <= 3; ++i) {
    of.arrive_and_wait();
    EXPECT_EQ(phases, i);
  }
  auto token = of.arrive();
  EXPECT_EQ(phases, 4);
  of.wait(std::move(token));
  of.arrive_and_drop();
  EXPECT_EQ(phases, 5);
}

TEST(BarrierValue, SeveralArriveAtOnce) {
  barrier<> of(5);
  auto first = of.arrive(3);
  EXPECT_EQ(of.wait(first, 1ms), wake_reason::timed_out);
  auto second = of.arrive(2);
  EXPECT_EQ(of.wait(first, 0s), wake_reason::woken);
  of.wait(std::move(first));
  of.wait(std::move(second));
}

TEST(BarrierValue, AllDropOut) {
  int phases = 0;
  barrier of(2, [&phases]() noexcept { ++phases; });
  of.arrive_and_drop();
  of.arrive_and_wait();  // the other one
  EXPECT_EQ(phases, 1);
  of.arrive_and_drop();
  EXPECT_EQ(phases, 2);
  barrier<> of_nobody(0);
}

TEST(BarrierDeath, SaysWhatIsWrong) {
  EXPECT_THROW(barrier<>(-1), misuse);
  EXPECT_THROW(barrier<>(barrier<>::max() + 1), misuse);
  EXPECT_DEATH(static_cast<void>(barrier<>(2).arrive(3)), "more, or fewer than one, arrived");
  EXPECT_DEATH(static_cast<void>(barrier<>(2).arrive(0)), "more, or fewer than one, arrived");
  EXPECT_DEATH(barrier<>(0).arrive_and_wait(), "more, or fewer than one, arrived");
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto of = std::make_unique<barrier<>>(2);
                     auto waits = spawn([&of = *of] { of.arrive_and_wait(); });
                     yield();
                     of.reset();
                     waits.join();
                   }),
               "a barrier was destroyed while fibers or threads wait for it");
}

TEST(BarrierOrder, WakesInTheOrderInWhichTheyCame) {
  run(with_workers(1), [] {
    constexpr int parties = 8;
    std::vector<int> order;
    bool completed = false;
    barrier of(parties + 1, [&]() noexcept {
      EXPECT_TRUE(order.empty());
      completed = true;
    });
    counter done;
    for (int i = 0; i < parties; ++i) {
      spawn_with_counter(done, [&, i] {
        of.arrive_and_wait();
        EXPECT_TRUE(completed);
        order.push_back(i);
      });
      yield();
    }
    of.arrive_and_drop();
    wait_for_counter(done);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  });
}

// The completion function runs without a lock: others may begin to wait meanwhile, and it may wait itself.
TEST_P(Barrier, CompletionMayWait) {
  run(chosen, [] {
    counter may_complete(1);
    bool completed = false;
    barrier of(2, [&]() noexcept {
      wait_for_counter(may_complete);
      completed = true;
    });
    auto token = of.arrive();
    auto last = spawn([&] { of.arrive_and_drop(); });
    for (int i = 0; i < 20; ++i) yield();
    EXPECT_EQ(of.wait(token, 1ms), wake_reason::timed_out);
    EXPECT_FALSE(completed);
    may_complete.decrement();
    of.wait(std::move(token));
    EXPECT_TRUE(completed);
    last.join();
  });
}

TEST_P(Barrier, GivesUp_AndTheArrivalCounts) {
  run(chosen, [] {
    barrier<> of(2);
    auto token = of.arrive();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(of.wait(token, 20ms), wake_reason::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
    std::stop_source stop;
    auto canceller = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(of.wait(token, stop.get_token()), wake_reason::cancelled);
    canceller.join();
    auto other = spawn([&] { of.arrive_and_wait(); });
    EXPECT_EQ(of.wait(token, 1h), wake_reason::woken);
    other.join();
  });
}

// Nobody is a phase ahead of another, and each phase is completed once, with all of the arrivals before it.
TEST_P(Barrier, FibersAndThreads_PhaseAfterPhase) {
  constexpr int fibers = 6, threads = 2, phases = test::sanitized ? 50 : 300;
  std::vector<int> arrived(fibers + threads);
  int completed = 0;
  barrier of(fibers + threads, [&]() noexcept {
    ++completed;
    for (const int each : arrived) EXPECT_EQ(each, completed);
  });
  const auto party = [&](std::size_t i) {
    for (int phase = 1; phase <= phases; ++phase) {
      arrived[i] = phase;
      auto token = of.arrive();
      of.wait(std::move(token));
    }
  };
  std::vector<std::thread> outside;
  for (std::size_t i = 0; i < threads; ++i) outside.emplace_back([&, i] { party(fibers + i); });
  run(chosen, [&] {
    counter done;
    for (std::size_t i = 0; i < fibers; ++i) spawn_with_counter(done, [&, i] { party(i); });
    wait_for_counter(done);
  });
  for (auto& each : outside) each.join();
  EXPECT_EQ(completed, phases);
}

// Parties that drop out at random; a phase is completed as often as the longest stays.
TEST_P(Barrier, StressOfDropping) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const watchdog limit("barrier, seed " + std::to_string(seed));
    constexpr int parties = 12;
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<int> stays;
    int longest = 0;
    for (int i = 0; i < parties; ++i) {
      stays.push_back(1 + static_cast<int>(random() % (test::sanitized ? 40 : 200)));
      longest = std::max(longest, stays.back());
    }
    int completed = 0;
    barrier of(parties, [&]() noexcept { ++completed; });
    const auto party = [&](int phases, std::uint32_t stream) {
      std::mt19937 mine(stream);
      for (int phase = 1; phase < phases; ++phase) {
        if (mine() % 4 == 0) {
          auto token = of.arrive();
          while (of.wait(token, std::chrono::microseconds(mine() % 50)) != wake_reason::woken) {
          }
        } else {
          of.arrive_and_wait();
        }
        EXPECT_GE(completed, phase);
      }
      of.arrive_and_drop();
    };
    std::thread outside([&, stream = random()] { party(stays[0], static_cast<std::uint32_t>(stream)); });
    run(chosen, [&] {
      counter done;
      for (std::size_t i = 1; i < parties; ++i) {
        spawn_with_counter(done, [&, i, stream = random()] { party(stays[i], static_cast<std::uint32_t>(stream)); });
      }
      wait_for_counter(done);
    });
    outside.join();
    EXPECT_EQ(completed, longest);
  }
}

// On the heap, so that AddressSanitizer sees a late access.
TEST_P(Barrier, StressDestroyedRightAfterTheWait) {
  const watchdog limit("barriers destroyed after the wait");
  run(chosen, [] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      auto of = std::make_unique<barrier<>>(2);
      auto other = spawn([&of = *of] { of.arrive_and_drop(); });
      if (race.begun() % 2 == 0) yield();
      of->arrive_and_wait();
      of.reset();
      other.join();
    }
  });
}

}  // namespace
}  // namespace ramie
