// Where forks run: on which stacks, on how many, and what observers see of it.
#include <ramie/ramie.hpp>
#include <ramie/scheduler/work_span.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

options leaving_continuations(unsigned workers) {
  return {.workers = workers, .fork_stealing = fork_stealing::continuation};
}

[[gnu::noinline]] char deep_frame(std::size_t size) {
  auto* const memory = static_cast<char*>(__builtin_alloca(size));
  for (std::size_t i = 0; i < size; i += 512) memory[size - 1 - i] = static_cast<char>(i);
  asm volatile("" ::"r"(memory) : "memory");
  return memory[size / 2];
}

class ForkStacks : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, ForkStacks, ::testing::ValuesIn(test::all_ways({1, 2})),
                         ::testing::PrintToStringParamName());

TEST_P(ForkStacks, AForkHasAsMuchStackAsItsParent_WhoeverRunsIt) {
  const watchdog limit("forks on big stacks");
  test::in_runtime(GetParam().chosen(), [] {
    auto big = spawn({.stack_size = 4_MiB}, [] {
      for (int round = 0; round < 10; ++round) {
        counter arrived(1);
        fork_join(
            [&] {
              wait_for_counter(arrived);  // so that the other one becomes a fiber
              deep_frame(2 << 20);
            },
            [&] {
              deep_frame(2 << 20);
              arrived.decrement();
            });
      }
    });
    big.join();
  });
}

// The first function spins until the second has run: only a thief can do that.
TEST(ForkStealing, AThiefTakesTheRestOfTheCaller) {
  const watchdog limit("a stolen continuation");
  test::in_runtime(leaving_continuations(2), [] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> met{false};
      const unsigned began_on = this_fiber::worker_index();
      unsigned other_was_on = began_on;
      fork_join(
          [&] {
            while (!met) {
            }
          },
          [&] {
            other_was_on = this_fiber::worker_index();
            met = true;
          });
      EXPECT_NE(other_was_on, began_on);
    }
  });
}

TEST(ForkStealing, OfContinuations_TheFirstFunctionIsAFiberOfItsOwn) {
  test::in_runtime(leaving_continuations(1), [] {
    const auto caller = this_fiber::id();
    const auto [first, second] = fork_join([] { return this_fiber::id(); }, [] { return this_fiber::id(); });
    EXPECT_NE(first, caller);
    EXPECT_EQ(second, caller);
  });
}

TEST(SpawnChildFirst, TheChildBeginsAtOnce_AndTheCallerGoesOnWhereItWaits) {
  test::in_runtime(with_workers(1), [] {
    std::vector<int> order;
    counter gate(1);
    auto child = spawn_child_first([&] {
      order.push_back(1);
      wait_for_counter(gate);
      order.push_back(3);
      return 7;
    });
    order.push_back(2);
    EXPECT_FALSE(child.done());
    gate.decrement();
    EXPECT_EQ(child.join(), 7);
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
    EXPECT_THROW(spawn_child_first([] { throw 5; }).join(), int);
  });
}

TEST(SpawnChildFirst, OnAThreadThatRunsNoFiber_IsMisuseWithoutARuntime) {
  EXPECT_THROW(static_cast<void>(spawn_child_first([] {})), misuse);
}

// The bound: workers × (depth + 1). A loop that spawns does not pile its children up; nor does a tree.
struct alive {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  void begin() {
    const int seen = ++now;
    int before = most;
    while (before < seen && !most.compare_exchange_weak(before, seen)) {
    }
  }
  void end() { --now; }
};

void tree_of_children(alive& count, int depth) {
  count.begin();
  if (depth > 0) {
    for (int i = 0; i < 3; ++i) {
      auto child = spawn_child_first([&count, depth] { tree_of_children(count, depth - 1); });
      child.join();
    }
    std::vector<join_handle<void>> several;
    for (int i = 0; i < 3; ++i)
      several.push_back(spawn_child_first([&count, depth] { tree_of_children(count, depth - 1); }));
    for (auto& each : several) each.join();
  }
  count.end();
}

TEST(SpawnChildFirst, StacksInUse_AreBoundedByWorkersAndDepth) {
  const watchdog limit("children first");
  for (const unsigned workers : {1U, 2U, 4U}) {
    alive count;
    test::in_runtime(with_workers(workers), [&] { tree_of_children(count, 5); });
    EXPECT_EQ(count.now, 0);
    EXPECT_LE(count.most, static_cast<int>(workers) * 6);
    if (workers == 1) {
      EXPECT_EQ(count.most, 6);
    }
  }
}

TEST(SpawnChildFirst, ALoopOfManyChildren_HasOneAtATimeOnEachWorker) {
  const watchdog limit("a loop of children");
  for (const unsigned workers : {1U, 3U}) {
    alive count;
    constexpr int children = 20'000;
    std::atomic<int> ran{0};
    test::in_runtime(with_workers(workers), [&] {
      counter done;
      for (int i = 0; i < children; ++i) {
        spawn_child_first([&] {
          count.begin();
          ++ran;
          count.end();
        }).detach();
      }
    });
    EXPECT_EQ(ran, children);
    EXPECT_LE(count.most, static_cast<int>(workers));
  }
}

// ---- No stack to be had ----

TEST(ForkStealing, WithoutAStack_TheFirstFunctionIsCalled) {
  test::scarce_backend only_one(1);
  options chosen = leaving_continuations(1);
  chosen.backend = &only_one;
  test::in_runtime(chosen, [] {
    const auto caller = this_fiber::id();
    const auto [first, second] = fork_join([] { return this_fiber::id(); }, [] { return 5; });
    EXPECT_EQ(first, caller);
    EXPECT_EQ(second, 5);
    EXPECT_THROW(fork_join([] { throw 1.5; }, [] {}), double);
  });
}

// The first function's yield gives the others away, and their takers find no stack for them.
TEST_P(ForkStacks, WithoutAStack_AFunctionThatWasTaken_IsCalledByItsJoiner) {
  const watchdog limit("forks without stacks");
  test::scarce_backend only_one(1);
  options chosen = GetParam().chosen();
  chosen.backend = &only_one;
  test::in_runtime(chosen, [] {
    const auto caller = this_fiber::id();
    for (int round = 0; round < 10; ++round) {
      const auto [nothing, second, third] =
          fork_join([] { yield(); }, [] { return this_fiber::id(); }, [] { return yield(), std::string("third"); });
      EXPECT_EQ(second, caller);
      EXPECT_EQ(third, "third");
      int called = 0;
      EXPECT_THROW(fork_join([] { yield(), throw 1.5; }, [&] { ++called; }), double);
      EXPECT_THROW(fork_join([] { yield(); }, [&] { ++called, throw 2.5; }), double);
      EXPECT_EQ(called, 2);
    }
  });
}

TEST_P(ForkStacks, WithoutAStack_AlgorithmsDoAllOfTheirWork) {
  const watchdog limit("algorithms without stacks");
  test::scarce_backend only_one(1);
  options chosen = GetParam().chosen();
  chosen.backend = &only_one;
  test::in_runtime(chosen, [] {
    for (const std::size_t grain : {0U, 1U, 10U}) {
      const parallel_policy how{.grain = grain};
      std::vector<int> seen(300);
      test::erased_for(how, 0, 300, [&](int i) { yield(), ++seen[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(seen, std::vector<int>(300, 1));
      const std::vector<std::string> letters(300, "x");
      for (const bool deterministic : {false, true}) {
        EXPECT_EQ(test::erased_reduce({.grain = grain, .deterministic = deterministic}, letters, "-",
                                      [](std::string&& left, const std::string& right) {
                                        yield();
                                        return std::move(left) + right;
                                      }),
                  "-" + std::string(300, 'x'));
      }
    }
    std::vector<std::uint64_t> numbers(20'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 7919 % numbers.size();
    std::atomic<unsigned> calls{0};
    test::erased_sort({}, numbers, [&](std::uint64_t a, std::uint64_t b) {
      if (++calls % 64 == 0) yield();
      return a < b;
    });
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  });
}

TEST(SpawnChildFirst, WithoutAStack_ThrowsAndDropsTheFunction) {
  test::scarce_backend only_one(1);
  options chosen = with_workers(1);
  chosen.backend = &only_one;
  const auto captured = std::make_shared<int>(0);
  test::in_runtime(chosen, [&] { EXPECT_THROW(static_cast<void>(spawn_child_first([captured] {})), spawn_error); });
  EXPECT_EQ(captured.use_count(), 1);
}

// ---- Observers ----

std::chrono::nanoseconds unit_of_work() { return std::chrono::milliseconds(1); }

thread_local std::chrono::nanoseconds thread_time{1};
[[gnu::noinline]] std::chrono::nanoseconds own_time() {
  asm volatile("" ::: "memory");  // the thread may have changed since the last call
  return thread_time;
}
[[gnu::noinline]] void work() {
  asm volatile("" ::: "memory");
  thread_time += unit_of_work();
}

void tree_of_work(int depth) {
  work();
  if (depth > 0) fork_join([depth] { tree_of_work(depth - 1); }, [depth] { tree_of_work(depth - 1); });
}

// Also of forks that nobody takes: the span is the program's, not the run's.
TEST_P(ForkStacks, AProfile_SeesEveryFork) {
  options chosen = GetParam().chosen();
  work_span profile(nullptr, std::chrono::milliseconds(1), &own_time);
  chosen.events = &profile;
  test::in_runtime(chosen, [] { tree_of_work(5); });
  const work_span_result seen = profile.result();
  EXPECT_EQ(seen.work, 63 * unit_of_work());
  EXPECT_EQ(seen.span, 6 * unit_of_work());
}

// A fork's parent is the fiber that forked it, not the worker that took it.
class parents final : public observer {
 public:
  void spawned(std::uint64_t fiber, std::uint64_t parent) noexcept override {
    if (parent != expected && parent != 0) wrong = fiber;
    if (parent == expected) ++right;
  }
  std::atomic<std::uint64_t> expected{0};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<int> right{0};
};

TEST_P(ForkStacks, TheParentThatAnObserverHears_IsWhoForked) {
  parents heard;
  options chosen = GetParam().chosen();
  chosen.events = &heard;
  test::in_runtime(chosen, [&] {
    heard.expected = this_fiber::id();
    for (int i = 0; i < 100; ++i) fork_join([] {}, [] { yield(); });
  });
  EXPECT_EQ(heard.wrong, 0U);
  EXPECT_GE(heard.right, 100);
}

}  // namespace
}  // namespace ramie
