// A task that gets no stack: what it has captured is destroyed in the run loop, where no fiber runs.
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using test::eventually;
using test::with_workers;

// Does something when it is destroyed, once.
class at_end {
 public:
  explicit at_end(std::function<void()> action) : m_action(std::move(action)) {}
  at_end(at_end&& other) noexcept : m_action(std::exchange(other.m_action, nullptr)) {}
  at_end& operator=(at_end&&) = delete;
  ~at_end() {
    if (m_action) m_action();
  }

 private:
  std::function<void()> m_action;
};

// The first fiber has the only stack. The captures of a second one do `action`, with stacks for all.
void destroy_in_the_run_loop(options chosen, const std::function<void()>& action) {
  test::scarce_backend backend(1);
  chosen.backend = &backend;
  ramie::run(chosen, [&] {
    auto refused = spawn([captured = at_end([&] {
                            backend.left = 100;
                            action();
                          })] {});
    EXPECT_THROW(refused.join(), spawn_error);
  });
}

int fib(int n) {
  if (n < 2) return n;
  const auto [one, two] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return one + two;
}

void expect_forks(const options& chosen) {
  int result = 0;
  destroy_in_the_run_loop(chosen, [&] { result = fib(10); });
  EXPECT_EQ(result, 55);
}

TEST(Refused, WhatItHasCapturedMayFork) { expect_forks(with_workers(1)); }

TEST(Refused, WhatItHasCapturedMayFork_WhereContinuationsLeave) {
  options chosen = with_workers(1);
  chosen.fork_stealing = fork_stealing::continuation;
  expect_forks(chosen);
}

TEST(Refused, WhatItHasCapturedMayFork_BeforeAnObserver) {
  observer nobody;
  options chosen = with_workers(1);
  chosen.events = &nobody;
  expect_forks(chosen);
}

// The second function waits for the first: on this worker it would for ever. So another one must take it.
TEST(Refused, WhatItHasCapturedMayFork_BesideAThief) {
  for (const unsigned workers : {2U, 4U}) {
    std::atomic<int> begun{0};
    const auto together = [&] {
      ++begun;
      EXPECT_TRUE(eventually("both functions run", [&] { return begun == 2; }));
    };
    destroy_in_the_run_loop(with_workers(workers), [&] { fork_join(together, together); });
    EXPECT_EQ(begun, 2);
  }
}

TEST(Refused, WhatItHasCapturedMaySpawn_AndJoin) {
  int result = 0;
  destroy_in_the_run_loop(with_workers(1), [&] { result = spawn([] { return 7; }).join(); });
  EXPECT_EQ(result, 7);
  destroy_in_the_run_loop(with_workers(1), [&] { result = spawn_child_first([] { return 8; }).join(); });
  EXPECT_EQ(result, 8);
}

TEST(Refused, WhatItHasCapturedMayWaitForACounter) {
  std::atomic<int> ran{0};
  destroy_in_the_run_loop(with_workers(1), [&] {
    counter all;
    for (int i = 0; i < 10; ++i) spawn_with_counter(all, [&] { ++ran; });
    wait_for_counter(all);
    EXPECT_EQ(ran, 10);
  });
  EXPECT_EQ(ran, 10);
}

// The task that the first one waits for runs, and is followed on the same worker by a task that gets no stack either.
// The follower is destroyed after the first, not within it.
TEST(Refused, ManyThatWaitWhenTheyAreDestroyed_DoNotPileUp) {
  constexpr int tasks = 200;
  int destroyed = 0;
  int depth = 0;
  int deepest = 0;
  test::scarce_backend backend(2);  // for the first fiber, and for what is waited for
  options chosen = with_workers(1);
  chosen.backend = &backend;
  ramie::run(chosen, [&] {
    std::vector<join_handle<void>> refused;
    refused.reserve(tasks);
    const auto no_stack = [&] { backend.left = 0; };
    for (int i = 0; i < tasks; ++i) {
      refused.push_back(spawn([captured = at_end([&] {
                                 deepest = std::max(deepest, ++depth);
                                 backend.left = 1;
                                 spawn(no_stack).join();
                                 --depth;
                                 ++destroyed;
                               })] {}));
    }
    no_stack();
    for (auto& each : refused) EXPECT_THROW(each.join(), spawn_error);
  });
  EXPECT_EQ(destroyed, tasks);
  EXPECT_LE(deepest, 2);
}

// Items come in pairs, and the first of a pair takes longer. So a carrier waits for its turn again and again, also the
// one in the run loop.
TEST(Refused, WhatItHasCapturedMayRunAPipeline) {
  constexpr int items = 400;
  int passed = 0;
  destroy_in_the_run_loop(with_workers(2), [&] {
    int next = 0;
    std::vector<std::atomic<bool>> begun(items);
    pipeline(
        {.in_flight = 8}, [&] { return next < items ? std::optional<int>(next++) : std::nullopt; },
        stage::parallel([&](int item) {
          begun[static_cast<std::size_t>(item)] = true;
          EXPECT_TRUE(eventually("both run", [&] { return begun[static_cast<std::size_t>(item ^ 1)].load(); }));
          if (item % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
          return item;
        }),
        stage::in_order([&](int item) { EXPECT_EQ(item, passed++); }));
  });
  EXPECT_EQ(passed, items);
}

}  // namespace
}  // namespace ramie
