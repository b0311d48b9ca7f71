// shared_mutex: as the standard has it, between fibers and threads, with limits; neither kind starves.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/shared_mutex.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

constinit shared_mutex made_at_compile_time;

class SharedMutex : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, SharedMutex, ::testing::Values(1U, 2U, 4U));

TEST_P(SharedMutex, ReadersShareIt) {
  run(chosen, [] {
    const std::shared_lock first(made_at_compile_time);
    std::shared_lock second(made_at_compile_time, std::try_to_lock);
    EXPECT_TRUE(second.owns_lock());
    EXPECT_FALSE(made_at_compile_time.try_lock());
    second.unlock();
    EXPECT_FALSE(made_at_compile_time.try_lock());
  });
  EXPECT_TRUE(made_at_compile_time.try_lock());
  EXPECT_FALSE(made_at_compile_time.try_lock_shared());
  made_at_compile_time.unlock();
}

// One worker: all is decided by the order in which fibers run.
TEST(SharedMutexOrder, PhasesTakeTurns) {
  run(with_workers(1), [] {
    shared_mutex of;
    std::string order;
    std::vector<decltype(spawn([] {}))> all;
    const auto reader = [&] {
      all.push_back(spawn([&] {
        const std::shared_lock guard(of);
        order += 'r';
        yield();
      }));
      yield();
    };
    const auto writer = [&] {
      all.push_back(spawn([&] {
        const std::unique_lock guard(of);
        order += 'w';
        yield();
      }));
      yield();
    };
    {
      const std::shared_lock guard(of);
      writer();
      reader();
      writer();
      reader();
      EXPECT_FALSE(of.try_lock_shared()) << "a writer waits";
    }
    for (auto& each : all) each.join();
    EXPECT_EQ(order, "wrrw");
  });
}

TEST_P(SharedMutex, AWriterThatGivesUp_LetsTheReadersBehindItIn) {
  run(chosen, [] {
    shared_timed_mutex of;
    const std::shared_lock guard(of);
    native_provider::atomic<bool> read{false};
    auto writer = spawn([&] { EXPECT_FALSE(of.try_lock_for(5ms)); });
    sleep_for(1ms);
    auto reader = spawn([&] {
      const std::shared_lock<shared_timed_mutex> mine(of);
      read.store(true);
    });
    writer.join();
    reader.join();  // while this fiber still shares it
    EXPECT_TRUE(read.load());
  });
}

TEST_P(SharedMutex, TimedWaits_TakeNothingWhereTimeIsOver) {
  run(chosen, [] {
    shared_mutex of;
    std::unique_lock held(of);
    std::thread outside([&] {
      EXPECT_FALSE(of.try_lock_shared_for(1ms));
      EXPECT_FALSE(of.try_lock_for(1ms));
    });
    outside.join();
    std::stop_source stop;
    auto inside = spawn([&] {
      EXPECT_FALSE(of.try_lock_shared_until(std::chrono::steady_clock::now() + 1ms));
      EXPECT_FALSE(of.try_lock_until(std::chrono::system_clock::now() + 1ms));
      EXPECT_EQ(of.lock_shared({1h, stop.get_token()}), wake_reason::cancelled);
      EXPECT_EQ(of.lock({1h, stop.get_token()}), wake_reason::cancelled);
    });
    sleep_for(5ms);
    stop.request_stop();
    inside.join();
    held.unlock();
    std::shared_lock<shared_mutex> timed(of, 1h);
    EXPECT_TRUE(timed.owns_lock());
    timed.unlock();
    EXPECT_EQ(of.lock(wait_limits(1h)), wake_reason::woken);
    of.unlock();
  });
}

TEST(SharedMutexDeathTest, Misuse_EndsTheProcess) {
  EXPECT_DEATH(
      {
        shared_mutex of;
        of.lock_shared();
        of.unlock();
      },
      "a shared_mutex was unlocked that nobody owns");
  EXPECT_DEATH(
      {
        shared_mutex of;
        of.unlock_shared();
      },
      "a shared_mutex was unlocked that nobody shares");
  EXPECT_DEATH(
      {
        shared_mutex of;
        of.lock_shared();
      },
      "a shared_mutex was destroyed while somebody owns it");
}

// Random locks of both kinds, timed and cancelled, of fibers and threads.
void storm(std::uint64_t seed, unsigned workers) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  shared_mutex of;
  native_provider::atomic<int> readers{0};
  native_provider::atomic<long> written{0};
  long value = 0;
  const auto body = [&](std::uint64_t mine) {
    random_source random(mine);
    for (int i = 0; i < 300; ++i) {
      const auto some = std::chrono::microseconds(random.below(100));
      if (random.below(4) == 0) {
        const bool got = random.below(2) == 0 ? (of.lock(), true) : of.try_lock_for(some);
        if (!got) continue;
        EXPECT_EQ(readers.load(std::memory_order_relaxed), 0);
        value = value + 1;
        written.fetch_add(1, std::memory_order_relaxed);
        if (random.below(4) == 0) sleep_for(20us);
        of.unlock();
      } else {
        std::stop_source stop;
        if (random.below(8) == 0) stop.request_stop();
        const bool got = random.below(2) == 0 ? (of.lock_shared(), true)
                                              : of.lock_shared({some, stop.get_token()}) == wake_reason::woken;
        if (!got) continue;
        readers.fetch_add(1, std::memory_order_relaxed);
        const long before = value;
        if (random.below(4) == 0) sleep_for(20us);
        EXPECT_EQ(value, before);
        readers.fetch_sub(1, std::memory_order_relaxed);
        of.unlock_shared();
      }
    }
  };
  std::vector<std::thread> outside;
  for (unsigned i = 0; i < 2; ++i) outside.emplace_back([&, i] { body(seed * 100 + i); });
  run(with_workers(workers), [&] {
    counter done;
    for (unsigned i = 0; i < 12; ++i) spawn_with_counter(done, [&, i] { body(seed * 100 + 50 + i); });
    wait_for_counter(done);
  });
  for (std::thread& each : outside) each.join();
  EXPECT_EQ(value, written.load(std::memory_order_relaxed));
  EXPECT_TRUE(of.try_lock());
  of.unlock();
}

TEST(SharedMutexStorm, NothingIsLost) {
  for (const std::uint64_t seed : test::seeds(3)) {
    for (const unsigned workers : {1U, 4U}) storm(seed, workers);
  }
}

}  // namespace
}  // namespace ramie
