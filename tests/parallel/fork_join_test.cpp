#include <ramie/parallel/fork_join.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

class ForkJoin : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, ForkJoin, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

TEST_P(ForkJoin, Recursion_EachForkRunsOnce) {
  const watchdog limit("fib by fork_join");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(run(GetParam().chosen(), [] { return fib(20); }), 6765);
  }
}

TEST_P(ForkJoin, Results_OfEachKind) {
  test::in_runtime(GetParam().chosen(), [] {
    int there = 0;
    auto [number, nothing, text, pointer, reference] =
        fork_join([] { return 7; }, [&] { there = 1; }, [] { return std::string("text"); },
                  [] { return std::make_unique<int>(9); }, [&]() -> int& { return there; });
    EXPECT_EQ(number, 7);
    static_assert(std::is_same_v<decltype(nothing), std::monostate>);
    EXPECT_EQ(text, "text");
    EXPECT_EQ(*pointer, 9);
    EXPECT_EQ(&reference, &there);
    static_assert(std::is_void_v<decltype(fork_join([] {}, [] {}))>);
    fork_join([&] { ++there; }, [] {});
    EXPECT_EQ(there, 2);
  });
}

TEST_P(ForkJoin, Exceptions_AllAreCalled_AndTheFirstOneLeaves) {
  test::in_runtime(GetParam().chosen(), [] {
    for (int thrower = 0; thrower < 8; ++thrower) {
      std::atomic<int> called{0};
      const auto part = [&](int i) {
        ++called;
        if ((thrower & (1 << i)) != 0) throw i;
      };
      int caught = 3;
      try {
        fork_join([&] { part(0); }, [&] { part(1); }, [&] { part(2); });
      } catch (int which) {
        caught = which;
      }
      EXPECT_EQ(called, 3);
      EXPECT_EQ(caught, thrower == 0 ? 3 : (thrower & 1) != 0 ? 0 : (thrower & 2) != 0 ? 1 : 2);
    }
  });
}

// As a lambda that has captured a const vector: its move is a copy.
struct not_to_be_moved {
  explicit not_to_be_moved(int& counts) : calls(counts) {}
  not_to_be_moved(not_to_be_moved&& other) noexcept(false) : calls(other.calls) { throw 1; }
  int operator()() && { return ++calls; }
  int& calls;
};

// A fork that is linked must be unlinked: a yield gives away every fork in the list.
TEST_P(ForkJoin, FunctionsWhoseMoveThrows_AreCalledAsAnyOther) {
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 10; ++round) {
      int first = 0, second = 0, third = 0;
      EXPECT_NO_THROW(fork_join(not_to_be_moved(first), not_to_be_moved(second)));
      yield();
      EXPECT_NO_THROW(fork_join([&] { return ++first; }, not_to_be_moved(second)));
      EXPECT_NO_THROW(fork_join(not_to_be_moved(first), [&] { return ++second; }, not_to_be_moved(third)));
      yield();
      EXPECT_EQ(first + 10 * second + 100 * third, 133);
    }
  });
}

// The fiber waits for a fork that nobody has taken.
TEST_P(ForkJoin, FunctionsThatWaitForEachOther_DoNotDeadlock) {
  const watchdog limit("functions that wait for each other");
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 100; ++round) {
      counter first(1);
      counter second(1);
      std::atomic<bool> flag{false};
      fork_join(
          [&] {
            wait_for_counter(first);
            second.decrement();
          },
          [&] {
            fork_join(
                [&] {
                  first.decrement();
                  wait_for_counter(second);
                },
                [&] { flag = true; },
                [&] {
                  while (!flag) yield();
                });
          });
    }
  });
}

long fib_that_yields(int n) {
  if (n < 2) {
    yield();
    return n;
  }
  const auto [a, b] = fork_join([n] { return fib_that_yields(n - 1); }, [n] { return fib_that_yields(n - 2); });
  if (n % 3 == 0) yield();
  return a + b;
}

TEST_P(ForkJoin, YieldsAtEveryDepth_LoseNothing) {
  const watchdog limit("fib that yields");
  EXPECT_EQ(run(GetParam().chosen(), [] { return fib_that_yields(16); }), 987);
}

// The owner forks once and then never touches its list: a thief takes the fork itself.
TEST(ForkJoinStarvation, AThief_TakesTheForkOfAnOwnerThatIsDeepInALeaf) {
  const watchdog limit("an owner deep in a leaf");
  test::in_runtime(with_workers(2), [] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> met{false};
      fork_join(
          [&] {
            while (!met) {  // no yield: this holds the worker
            }
          },
          [&] { met = true; });
    }
  });
}

TEST(ForkJoinFromOutside, AThreadThatRunsNoFiber_IsMisuseWithoutARuntime) {
  EXPECT_THROW(fork_join([] {}, [] {}), misuse);
}

}  // namespace
}  // namespace ramie
