// A runtime as an object: start, stop, several of them, again and again.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

std::uint64_t total(const runtime& home, std::uint64_t worker_statistics::* field) {
  std::uint64_t sum = 0;
  for (const worker_statistics& each : home.statistics()) sum += each.*field;
  return sum;
}

TEST(Runtime, StartAndStopWithNothingToDo) {
  for (const unsigned workers : {1U, 2U, 16U}) {
    runtime home(with_workers(workers));
    EXPECT_EQ(home.worker_count(), workers);
    home.start();
    home.stop();
  }
}

TEST(Runtime, NeverStarted_IsDestroyed) { const runtime home(with_workers(4)); }

TEST(Runtime, DestructorStops) {
  std::atomic<int> ran{0};
  {
    runtime home(with_workers(2));
    home.start();
    for (int i = 0; i < 100; ++i) home.spawn([&] { yield(), ++ran; }).detach();
  }
  EXPECT_EQ(ran, 100);
}

TEST(Runtime, SpawnBeforeStart_RunsAfterIt) {
  runtime home(with_workers(2));
  auto early = home.spawn([] { return 5; });
  EXPECT_FALSE(early.done());
  home.start();
  EXPECT_EQ(early.join(), 5);
  home.stop();
}

TEST(Runtime, SpawnBeforeRun_RunsOnTheCallingThread) {
  runtime home(with_workers(1));
  auto early = home.spawn([] { return std::this_thread::get_id(); });
  home.run();
  EXPECT_EQ(early.join(), std::this_thread::get_id());
}

TEST(Runtime, SpawnedButNeverRun_IsDestroyedWithTheRuntime) {
  const auto shared = std::make_shared<int>(0);
  {
    runtime home(with_workers(1));
    for (int i = 0; i < 100; ++i) home.spawn([shared] {}).detach();
    EXPECT_EQ(shared.use_count(), 101);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Runtime, RestartedThreeTimes) {
  runtime home(with_workers(2));
  for (int round = 1; round <= 3; ++round) {
    home.start();
    std::vector<join_handle<int>> handles;
    for (int i = 0; i < 100; ++i) handles.push_back(home.spawn([i] { return yield(), i; }));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(handles[static_cast<std::size_t>(i)].join(), i);
    home.stop();
    auto between = home.spawn([round] { return round; });
    home.run();
    EXPECT_EQ(between.join(), round);
  }
}

TEST(Runtime, StopWaitsForEverythingThatIsLeft) {
  for (int round = 0; round < 20; ++round) {
    runtime home(with_workers(2));
    home.start();
    std::atomic<int> ended{0};
    for (int i = 0; i < 20; ++i) {
      home.spawn([&] {
            for (int j = 0; j < 20; ++j) yield();
            auto child = spawn([&] { yield(), ++ended; });
            child.join();
            ++ended;
          })
          .detach();
    }
    home.stop();
    EXPECT_EQ(ended, 40);
  }
}

TEST(Runtime, StopDoesNotWaitForASearchThatIsLong) {
  const watchdog limit("stop() during a long search");
  options chosen = with_workers(2);
  chosen.spin = std::chrono::hours(24);
  runtime home(chosen);
  home.start();
  home.spawn([] { yield(); }).join();
  home.stop();
}

// A fiber that waits for something from outside is left, too.
TEST(Runtime, StopWaitsForAFiberThatWaits) {
  runtime home(with_workers(2));
  home.start();
  counter gate(1);
  std::atomic<bool> released{false};
  std::atomic<bool> passed{false};
  home.spawn([&] {
        wait_for_counter(gate);
        passed = released.load();
      })
      .detach();
  std::thread outside([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    released = true;
    gate.decrement();
  });
  home.stop();
  EXPECT_TRUE(passed);
  outside.join();
}

TEST(Runtime, ForeignThreadsSpawnAndJoin) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const watchdog limit("foreign threads, workers " + std::to_string(workers));
    runtime home(with_workers(workers));
    home.start();
    std::vector<std::thread> threads;
    std::atomic<std::int64_t> sum{0};
    constexpr int each_spawns = test::sanitized ? 200 : 2000;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < each_spawns; ++i) {
          auto fiber = home.spawn([i] {
            if (i % 3 == 0) yield();
            auto child = spawn([i] { return i; });
            return child.join();
          });
          sum += fiber.join();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    home.stop();
    EXPECT_EQ(sum, std::int64_t{4} * each_spawns * (each_spawns - 1) / 2);
  }
}

// A thread that takes a result asks where the run was begun, while the thread of that run ends it. TSan sees it.
TEST(Runtime, AnObservedRun_IsStopped_WhileAnotherThreadTakesItsResults) {
  observer nobody;
  options watched = with_workers(2);
  watched.events = &nobody;
  for (int round = 0; round < 20; ++round) {
    runtime home(watched);
    home.start();
    std::vector<join_handle<int>> results;
    for (int i = 0; i < 100; ++i) results.push_back(home.spawn([i] { return i; }));
    std::thread taker([&] {
      for (int i = 0; i < 100; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].join(), i);
    });
    home.stop();
    taker.join();
  }
}

TEST(Runtime, FibersOfOneJoinFibersOfAnother) {
  const watchdog limit("two runtimes");
  runtime left(with_workers(2));
  runtime right(with_workers(1));
  left.start();
  right.start();
  auto from_left = left.spawn([&] {
    int sum = 0;
    for (int i = 0; i < 200; ++i) {
      auto there = right.spawn([&, i] {
        auto back = left.spawn([i] { return yield(), i; });
        return back.join();
      });
      sum += there.join();
    }
    return sum;
  });
  EXPECT_EQ(from_left.join(), 199 * 200 / 2);
  left.stop();
  right.stop();
}

TEST(Runtime, SeveralAtOnce) {
  std::vector<std::unique_ptr<runtime>> homes;
  std::vector<join_handle<unsigned>> handles;
  for (unsigned i = 0; i < 5; ++i) {
    homes.push_back(std::make_unique<runtime>(with_workers(i % 3 + 1)));
    homes.back()->start();
  }
  for (unsigned i = 0; i < 500; ++i) handles.push_back(homes[i % 5]->spawn([i] { return yield(), i; }));
  for (unsigned i = 0; i < 500; ++i) EXPECT_EQ(handles[i].join(), i);
}

TEST(Runtime, FibersKnowHowManyWorkersThereAre) {
  for (const unsigned workers : {1U, 3U, 16U}) {
    run(with_workers(workers), [=] { EXPECT_EQ(this_fiber::worker_count(), workers); });
  }
}

TEST(Runtime, StatisticsAddUp) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    runtime home(with_workers(workers));
    constexpr std::uint64_t outside = 10, inside = 50;
    for (std::uint64_t i = 0; i < outside; ++i) {
      home.spawn([] {
            counter done;
            for (std::uint64_t j = 0; j < inside; ++j) spawn_with_counter(done, [] { yield(); });
            wait_for_counter(done);
          })
          .detach();
    }
    home.run();
    ASSERT_EQ(home.statistics().size(), workers);
    EXPECT_EQ(total(home, &worker_statistics::spawned), outside * inside);
    EXPECT_EQ(total(home, &worker_statistics::done), outside * inside + outside);
    EXPECT_GT(total(home, &worker_statistics::switches), 0U);
    const std::uint64_t looks = total(home, &worker_statistics::steals) + total(home, &worker_statistics::empties) +
                                total(home, &worker_statistics::lost_races);
    EXPECT_EQ(total(home, &worker_statistics::steal_attempts), looks);
    EXPECT_GE(total(home, &worker_statistics::stolen_items), total(home, &worker_statistics::steals));
    if (workers == 1) {
      EXPECT_EQ(looks, 0U);
    }
  }
}

}  // namespace
}  // namespace ramie
