// The simulator itself.
#include <simulation/simulator/run.hpp>
#include <support/threads.hpp>

#include <ramie/base/provider.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using test::thread;
using word = native_provider::atomic<std::uint32_t>;

sim::settings with_seed(std::uint64_t seed) {
  sim::settings chosen;
  chosen.seed = seed;
  return chosen;
}

std::uint32_t of(const word& which) { return which.load(std::memory_order_relaxed); }

// Two threads that each write one word and read the other's.
std::pair<std::uint32_t, std::uint32_t> write_and_read(std::uint64_t seed) {
  std::pair<std::uint32_t, std::uint32_t> seen;
  sim::run(seed, [&] {
    word left{0}, right{0};
    thread first([&] { left.store(1), seen.first = right.load(); });
    thread second([&] { right.store(1), seen.second = left.load(); });
    first.join();
    second.join();
  });
  return seen;
}

TEST(Machine, EveryOrderOfStepsIsFound_AndNoOther) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) seen.insert(write_and_read(seed));
  EXPECT_EQ(seen, (std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 0}, {1, 1}}));
}

TEST(Machine, AnUpdateInTwoSteps_LosesSome) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::run(seed, [&] {
      word count{0};
      const auto add = [&] {
        for (int i = 0; i < 5; ++i) count.store(count.load() + 1);
      };
      thread first(add), second(add);
      first.join();
      second.join();
      if (of(count) < 10) ++lost;
    });
  }
  EXPECT_GT(lost, 10);
}

TEST(Machine, AFutexWakesWhomTheSeedChooses) {
  std::set<int> first_awake;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    sim::run(seed, [&] {
      word gate{0}, asleep{0}, awake{0};
      std::vector<thread> sleepers;
      for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&, i] {
          asleep.fetch_add(1);
          while (gate.load() == 0) native_provider::futex_wait(gate, 0);
          if (awake.fetch_add(1) == 0) first_awake.insert(i);
        });
      }
      while (asleep.load() < 3) native_provider::yield_thread();
      gate.store(1);
      for (int i = 0; i < 3; ++i) native_provider::futex_wake(gate, 1);
    });
  }
  EXPECT_EQ(first_awake, (std::set<int>{0, 1, 2}));
}

TEST(Machine, TimePassesWhereEverybodySleeps) {
  const auto result = sim::run(2, [] {
    word never{0};
    const auto begin = native_provider::now();
    while (native_provider::futex_wait_for(never, 0, std::chrono::hours(10))) {  // may wake for no reason
    }
    EXPECT_GE(native_provider::now() - begin, std::chrono::hours(10));
    EXPECT_LE(native_provider::now() - begin, std::chrono::hours(100));
  });
  EXPECT_LT(result.steps, 100U);
}

TEST(Machine, AThreadKeepsWhatIsItsOwn) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    sim::run(seed, [] {
      std::vector<thread> all;
      for (int i = 0; i < 4; ++i) {
        all.emplace_back([i] {
          std::fesetround(i % 2 == 0 ? FE_UPWARD : FE_DOWNWARD);
          native_provider::of_this_thread<int>() = i;
          errno = i;
          for (int round = 0; round < 3; ++round) {
            try {
              native_provider::pause();
              throw i;
            } catch (int caught) {
              native_provider::yield_thread();
              try {
                throw;
              } catch (int again) {
                EXPECT_EQ(again, i);
              }
              native_provider::pause();
              EXPECT_EQ(caught, i);
            }
            EXPECT_EQ(std::uncaught_exceptions(), 0);
          }
          EXPECT_EQ(errno, i);
          EXPECT_EQ(native_provider::of_this_thread<int>(), i);
          EXPECT_EQ(std::fegetround(), i % 2 == 0 ? FE_UPWARD : FE_DOWNWARD);
        });
      }
    });
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(Machine, SpuriousWakeUpsHappen) {
  int spurious = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    sim::run(seed, [&] {
      word gate{0};
      thread sleeper([&] {
        native_provider::futex_wait(gate, 0);
        if (of(gate) == 0) ++spurious;
      });
      for (int i = 0; i < 20; ++i) native_provider::yield_thread();
      gate.store(1);
      native_provider::futex_wake(gate, 1);
    });
  }
  EXPECT_GT(spurious, 0);
  EXPECT_LT(spurious, 40);
}

// ---- Reports ----

TEST(Machine, ADeadlockSaysWhoSleepsWhere) {
  const sim::verdict result = sim::run_apart(with_seed(7), [] {
    word never{0};
    thread sleeper([&] {
      for (;;) native_provider::futex_wait(never, 0);
    });
  });
  EXPECT_TRUE(result.failed);
  for (const char* const part : {"nobody can go on", "thread 0 (the test) joins thread 1, since step",
                                 "thread 1 sleeps on w", "machine_test.cpp:", "futex_wait", "again: RAMIE_SEED=7 ",
                                 "--gtest_filter=Machine.ADeadlockSaysWhoSleepsWhere"}) {
    EXPECT_NE(result.said.find(part), std::string::npos) << part << " is not in:\n" << result.said;
  }
}

TEST(Machine, ALivelockEndsInAReport) {
  sim::settings chosen = with_seed(1);
  chosen.most_steps = 10'000;
  const sim::verdict result = sim::run_apart(chosen, [] {
    word never{0};
    while (never.load() == 0) native_provider::pause();
  });
  EXPECT_TRUE(result.failed);
  EXPECT_NE(result.said.find("no end after 1000"), std::string::npos) << result.said;
}

TEST(Machine, AFailedExpectation_ShowsTheStepsBeforeIt) {
  const sim::verdict result = sim::run_apart(with_seed(3), [] {
    word some{41};
    some.fetch_add(1);
    EXPECT_EQ(of(some), 41U);
  });
  EXPECT_TRUE(result.failed);
  EXPECT_NE(result.said.find("41 -> 42"), std::string::npos) << result.said;
  EXPECT_NE(result.said.find("again: RAMIE_SEED=3 "), std::string::npos) << result.said;
}

TEST(Machine, ACrash_ShowsTheStepsBeforeIt) {
  const sim::verdict result = sim::run_apart(with_seed(3), [] {
    word some{41};
    some.fetch_add(1);
    std::abort();
  });
  EXPECT_TRUE(result.failed);
  EXPECT_NE(result.said.find("41 -> 42"), std::string::npos) << result.said;
}

TEST(Machine, AThreadThatNobodyJoins_AndAnException_FailTheRun) {
  EXPECT_NE(sim::run_apart(with_seed(1),
                           [] {
                             native_provider::thread left{};
                             static_cast<void>(
                                 native_provider::start_thread(left, [](void*) -> void* { return nullptr; }, nullptr));
                           })
                .said.find("left thread 1 behind"),
            std::string::npos);
  EXPECT_NE(sim::run_apart(with_seed(1), [] { throw std::runtime_error("too much"); }).said.find("too much"),
            std::string::npos);
}

TEST(Machine, EveryStepIsPrintedOnDemand) {
  sim::settings chosen = with_seed(5);
  chosen.print_all_steps = true;
  const sim::verdict result = sim::run_apart(chosen, [] {
    word some{1};
    for (int i = 0; i < 500; ++i) some.fetch_add(1);
  });
  EXPECT_FALSE(result.failed) << result.said;
  EXPECT_EQ(std::ranges::count(result.said, '\n'), 500) << result.said;
}

}  // namespace
}  // namespace ramie
