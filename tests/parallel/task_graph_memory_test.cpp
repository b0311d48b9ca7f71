// Runs of a graph, and a reduction of large sums: what they allocate, and what becomes of them where there is nothing
// to be had, no memory or no stack.
#include <ramie/parallel/reduce.hpp>
#include <ramie/parallel/task_graph.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#if !RAMIE_ASAN && !RAMIE_TSAN  // they have their own
#define RAMIE_TEST_COUNTS_ALLOCATIONS 1

namespace {
std::atomic<std::size_t> allocations{0};
std::atomic<bool> out_of_memory{false};

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* const memory =
      out_of_memory ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// gcc inlines some of these, and warns that new and std::free() do not match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// noinline: gcc takes free() for the wrong partner of an operator new that it has not inlined.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#else
#define RAMIE_TEST_COUNTS_ALLOCATIONS 0
#endif

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

/// begin, `width` nodes, end.
void make_fan(task_graph& graph, std::size_t width, std::atomic<std::size_t>& ran) {
  const auto count = [&ran] { ++ran; };
  const task_graph::node begin = graph.emplace(count);
  const task_graph::node end = graph.emplace(count);
  for (std::size_t i = 0; i < width; ++i) graph.emplace(count).succeed(begin).precede(end);
}

#if RAMIE_TEST_COUNTS_ALLOCATIONS
// A thread that begins without memory goes on without what it would have needed it for.
TEST(WorkersMemory, AStartThatHasNone_Works) {
  options chosen = with_workers(2);
  chosen.pin = true;
  runtime home(chosen);
  home.start();  // which makes room for the threads
  home.stop();
  const auto parks = [&] {
    std::uint64_t fewest = home.statistics()[0].parks;
    for (const worker_statistics& each : home.statistics()) fewest = std::min(fewest, each.parks);
    return fewest;
  };
  const std::uint64_t before = parks();
  out_of_memory = true;
  home.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they begin meanwhile, most likely
  out_of_memory = false;
  EXPECT_TRUE(test::eventually("all workers have begun", [&] { return parks() > before; }));
  EXPECT_EQ(home.spawn([] { return 5; }).join(), 5);
  home.stop();
}

TEST(TaskGraphMemory, ASecondRun_AllocatesNothing) {
  test::in_runtime(with_workers(1), [] {
    std::atomic<std::size_t> ran{0};
    task_graph graph;
    make_fan(graph, 1000, ran);
    graph.run();
    const std::size_t before = allocations;
    for (int round = 0; round < 10; ++round) graph.run();
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(ran, 11U * 1002);
  });
}

TEST(TaskGraphMemory, WhereNoTaskCanBeMade_NodesRunOneAfterAnother) {
  test::in_runtime(with_workers(1), [] {
    std::size_t ran = 0;
    std::size_t before = 0;
    task_graph graph;
    const task_graph::node begin = graph.emplace([&] {
      before = allocations;
      out_of_memory = true;
    });
    const task_graph::node end = graph.emplace([] { out_of_memory = false; });
    for (int i = 0; i < 10'000; ++i) graph.emplace([&ran] { ++ran; }).succeed(begin).precede(end);
    spawn([] {}).join();  // leaves a fiber to run on
    graph.run();
    EXPECT_GT(allocations, before);
    EXPECT_EQ(ran, 10'000U);
  });
}

// The sentence for the follower is made when there is one, not by the ancestor's handle when it goes.
TEST(JobMemory, AnAncestorThatIsDiscardedWithoutMemory_TellsItsFollower) {
  test::in_runtime(with_workers(1), [] {
    job::handle follower = job::create([] {});
    {
      job::handle ancestor = job::create([] {});
      job::add_continuation(ancestor, follower);
      out_of_memory = true;
    }
    out_of_memory = false;
    EXPECT_THROW(job::wait(follower), misuse);
  });
}

struct large_sum {
  large_sum(std::size_t value) : number(value) {}
  std::size_t number;
  std::byte rest[1000] = {};
};

// A half that ran apart would need memory for its sum. The yields give halves away.
TEST(ReduceMemory, WithoutMemory_LargeSumsAreThoseOfAllElements) {
  const watchdog limit("large sums without memory");
  for (const unsigned workers : {1U, 2U}) {
    test::in_runtime(with_workers(workers), [] {
      const std::vector<std::size_t> input(500, 1);
      for (const bool deterministic : {false, true}) {
        std::atomic<unsigned> calls{0};
        const auto add = [&](const large_sum& left, const large_sum& right) {
          if (++calls % 5 == 0) yield();
          return large_sum(left.number + right.number);
        };
        spawn([] { yield(); }).join();
        out_of_memory = true;
        const std::size_t sum =
            ramie::reduce({.grain = 1, .deterministic = deterministic}, input, large_sum(1), add).number;
        out_of_memory = false;
        EXPECT_EQ(sum, 501U);
        EXPECT_GE(calls, 500U);
      }
    });
  }
}
#endif

// Nodes that get none come back to the fiber that runs the graph, and those behind them come after them all the same.
TEST(TaskGraphMemory, WithoutAStack_EveryNodeRunsOnceInItsOrder) {
  const watchdog limit("graphs without stacks");
  for (const bool from_roots : {false, true}) {
    for (const unsigned workers : {1U, 2U}) {
      test::scarce_backend backend;
      options chosen = with_workers(workers);
      chosen.backend = &backend;
      test::in_runtime(chosen, [&] {
        std::atomic<std::size_t> ran{0};
        std::size_t before_the_end = 0;
        task_graph graph;
        if (from_roots) {
          // One of them waits, so that the others become tasks.
          const auto waits = [&ran] { ++ran, yield(), yield(); };
          const task_graph::node end = graph.emplace([&] { before_the_end = ran++; });
          for (int i = 0; i < 4; ++i) graph.emplace(waits).precede(end);
        } else {
          make_fan(graph, 20, ran);
        }
        for (int round = 0; round < 3; ++round) {
          for (const int stacks : {0, 1, 1000}) {
            backend.left = stacks;
            ran = 0;
            EXPECT_NO_THROW(graph.run());
            EXPECT_EQ(ran, from_roots ? 5U : 22U);
            EXPECT_EQ(before_the_end, from_roots ? 4U : 0U);
          }
          backend.left = 1000;
        }
      });
    }
  }
}

}  // namespace
}  // namespace ramie
