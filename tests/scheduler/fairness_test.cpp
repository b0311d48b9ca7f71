// Nobody waits for ever while others keep running. Every test here hangs (and is ended) where that does not hold.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

TEST(Fairness, TwoFibersThatYield_TakeTurns) {
  run(with_workers(1), [] {
    std::vector<int> turns;
    std::atomic<int> arrived{0};
    const auto take_turns = [&](int self) {
      ++arrived;
      while (arrived < 2) yield();
      for (int i = 0; i < 100; ++i) {
        turns.push_back(self);
        yield();
      }
    };
    auto first = spawn([&] { take_turns(0); });
    auto second = spawn([&] { take_turns(1); });
    first.join();
    second.join();
    // Strict alternation, but for the turns in which others (the joiner, the injector) come between.
    int repeats = 0;
    for (std::size_t i = 1; i < turns.size(); ++i) repeats += turns[i] == turns[i - 1] ? 1 : 0;
    EXPECT_LE(repeats, 4);
  });
}

TEST(Fairness, AHundredFibersThatYield_StayTogether) {
  run(with_workers(1), [] {
    constexpr std::size_t count = 100;
    std::array<int, count> progress{};
    std::size_t begun = 0;
    int widest = 0;
    counter done;
    for (std::size_t i = 0; i < count; ++i) {
      spawn_with_counter(done, [&, i] {
        ++begun;
        while (begun < count) yield();
        for (int turn = 0; turn < 100; ++turn) {
          ++progress[i];
          const auto [least, most] = std::minmax_element(progress.begin(), progress.end());
          widest = std::max(widest, *most - *least);
          yield();
        }
      });
    }
    wait_for_counter(done);
    EXPECT_LE(widest, 3);
  });
}

// More than the lane holds: the overflow waits in the injector and still gets its turns.
TEST(Fairness, MoreYieldingFibersThanTheLaneHolds_AllGoOn) {
  const watchdog limit("lane overflow");
  run(with_workers(1), [] {
    constexpr std::size_t count = 1000;
    std::vector<int> turns(count, 0);
    std::size_t with_ten = 0;
    counter done;
    for (std::size_t i = 0; i < count; ++i) {
      spawn_with_counter(done, [&, i] {
        // Goes on for ever unless all others get ten turns too.
        for (;;) {
          if (++turns[i] == 10) ++with_ten;
          if (with_ten == count) return;
          yield();
        }
      });
    }
    wait_for_counter(done);
    // How unequal it was: the most turns of one fiber before every fiber had ten.
    ::testing::Test::RecordProperty("most_turns", *std::max_element(turns.begin(), turns.end()));
  });
}

TEST(Fairness, YieldingFibersDoNotStarveANewTask) {
  for (const unsigned workers : {1U, 2U}) {
    const watchdog limit("yielders against a task");
    std::atomic<bool> over{false};
    run(with_workers(workers), [&] {
      for (int i = 0; i < 2; ++i) {
        spawn([&] {
          while (!over) yield();
        }).detach();
      }
      for (int i = 0; i < 20; ++i) yield();
      auto setter = spawn([&] { over = true; });
      setter.join();
    });
  }
}

TEST(Fairness, ATaskChainDoesNotStarveAYieldedFiber) {
  for (const unsigned workers : {1U, 2U}) {
    const watchdog limit("task chain against a yielded fiber");
    std::atomic<bool> over{false};
    std::function<void()> chain = [&] {
      if (!over) spawn(chain).detach();
    };
    run(with_workers(workers), [&] {
      spawn(chain).detach();
      for (int i = 0; i < 100; ++i) yield();
      over = true;
    });
  }
}

// Two chains of tasks above it on the LIFO end: the oldest task must still run, also where there are no thieves.
TEST(Fairness, ATaskChainDoesNotStarveAnOlderTask) {
  for (const unsigned workers : {1U, 2U}) {
    const watchdog limit("task chain against an older task, workers " + std::to_string(workers));
    std::atomic<bool> over{false};
    std::function<void()> chain = [&] {
      if (!over) spawn(chain).detach();
    };
    run(with_workers(workers), [&] {
      auto old = spawn([&] { over = true; });
      spawn(chain).detach();
      old.join();
    });
  }
}

// Recursion without a cutoff runs depth first: parents whose children are done end before other subtrees begin. There
// is one open path for each jump to the oldest task, of 28,656 fibers.
TEST(Fairness, RecursionWithoutACutoff_HasFewFibersAtOnce) {
  std::size_t alive = 0;
  std::size_t most = 0;
  std::function<unsigned(unsigned)> fib = [&](unsigned n) -> unsigned {
    if (n < 2) return n;
    most = std::max(most, ++alive);
    auto left = spawn([&, n] { return fib(n - 1); });
    auto right = spawn([&, n] { return fib(n - 2); });
    const unsigned sum = left.join() + right.join();
    --alive;
    return sum;
  };
  run(with_workers(1), [&] { EXPECT_EQ(fib(22), 17'711U); });
  EXPECT_LE(most, 2'000U);
}

// Fibers that spawn and give way in turns: one of them can always go on, and their tasks must be run all the same.
TEST(Fairness, FibersThatSpawnAndYield_DoNotOutrunTheirTasks) {
  const watchdog limit("two producers that yield");
  run(with_workers(1), [] {
    // ThreadSanitizer of gcc 12 breaks down after some 33,000 switches between fibers of one thread.
    constexpr std::size_t rounds = test::sanitized ? 5'000 : 100'000;
    std::size_t waiting = 0;
    std::size_t most = 0;
    const auto produce = [&] {
      for (std::size_t i = 0; i < rounds; ++i) {
        most = std::max(most, ++waiting);
        spawn([&] { --waiting; }).detach();
        yield();
      }
    };
    auto first = spawn(produce);
    auto second = spawn(produce);
    first.join();
    second.join();
    while (waiting != 0) yield();
    EXPECT_LE(most, 1'000U);
  });
}

// A fiber that polls keeps its worker from the run loop, but not from the tasks of a worker that computes.
TEST(Fairness, AFiberThatPolls_DoesNotKeepItsWorkerFromStealing) {
  const watchdog limit("a polling fiber");
  run(with_workers(2), [] {
    std::atomic<bool> polling{false};
    std::atomic<bool> over{false};
    std::atomic<int> done{0};
    auto poller = spawn([&] {
      polling = true;
      while (!over) yield();
    });
    while (!polling) {  // computes: the poller is on the other worker
    }
    constexpr int tasks = 10;
    for (int i = 0; i < tasks; ++i) spawn([&] { ++done; }).detach();
    while (done < tasks) {  // still computes: only the poller's worker can run them
    }
    over = true;
    poller.join();
  });
}

TEST(Fairness, YieldingFibersDoNotStarveAForeignSpawn) {
  const watchdog limit("yielders against the injector");
  runtime home(with_workers(1));
  home.start();
  std::atomic<bool> over{false};
  counter begun(3);
  std::vector<join_handle<void>> yielders;
  for (int i = 0; i < 3; ++i) {
    yielders.push_back(home.spawn([&] {
      begun.decrement();
      while (!over) yield();
    }));
  }
  wait_for_counter(begun);
  auto foreign = home.spawn([&] { over = true; });
  foreign.join();
  for (auto& each : yielders) each.join();
  home.stop();
}

TEST(Fairness, ASingleYieldingFiberDoesNotStarveAForeignSpawn) {
  const watchdog limit("one yielder against the injector");
  runtime home(with_workers(1));
  home.start();
  std::atomic<bool> over{false};
  counter begun(1);
  auto yielder = home.spawn([&] {
    begun.decrement();
    while (!over) yield();
  });
  wait_for_counter(begun);
  auto foreign = home.spawn([&] { over = true; });
  foreign.join();
  yielder.join();
  home.stop();
}

TEST(Fairness, ATaskChainDoesNotStarveAForeignSpawn) {
  const watchdog limit("task chain against the injector");
  runtime home(with_workers(1));
  home.start();
  std::atomic<bool> over{false};
  std::function<void()> chain = [&] {
    if (!over) spawn(chain).detach();
  };
  home.spawn(chain).detach();
  auto foreign = home.spawn([&] { over = true; });
  foreign.join();
  home.stop();
}

TEST(Fairness, AFiberThatComputesDoesNotKeepOthersFromTheOtherWorkers) {
  const watchdog limit("a computing fiber");
  run(with_workers(2), [] {
    std::atomic<bool> over{false};
    auto setter = spawn([&] { over = true; });
    while (!over) {  // never yields: the other worker must come and take the setter
    }
    setter.join();
  });
}

}  // namespace
}  // namespace ramie
