// conditional_mutex: taken when a condition holds, evaluated by those who unlock.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/conditional_mutex.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

constinit conditional_mutex made_at_compile_time;

class ConditionalMutex : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, ConditionalMutex, ::testing::Values(1U, 2U, 4U));

TEST_P(ConditionalMutex, IsAMutex) {
  run(chosen, [] {
    const std::scoped_lock guard(made_at_compile_time);
    EXPECT_FALSE(made_at_compile_time.try_lock());
    auto other = spawn([] {
      EXPECT_FALSE(made_at_compile_time.try_lock_for(1ms));
      EXPECT_FALSE(made_at_compile_time.try_lock_until(std::chrono::system_clock::now() + 1ms));
    });
    other.join();
  });
}

// The benchmark of the talk: threads in a ring, each of which waits for its turn.
TEST_P(ConditionalMutex, ARingOfFibersAndThreads) {
  constexpr int members = 8;
  constexpr int rounds = 200;
  conditional_mutex lock;
  int turn = 0;
  const auto member = [&](int mine) {
    for (int i = 0; i < rounds; ++i) {
      lock.lock_when([&] { return turn % members == mine; });
      EXPECT_EQ(turn, i * members + mine);
      ++turn;
      i % 2 == 0 ? lock.unlock_to_next() : lock.unlock();
    }
  };
  std::vector<std::thread> outside;
  for (int i = 0; i < 2; ++i) outside.emplace_back(member, i);
  run(chosen, [&] {
    counter done;
    for (int i = 2; i < members; ++i) spawn_with_counter(done, [&, i] { member(i); });
    wait_for_counter(done);
  });
  for (std::thread& each : outside) each.join();
  EXPECT_EQ(turn, members * rounds);
}

// One worker: all is decided by the order in which fibers run.
TEST(ConditionalMutexOrder, TheOldestWhoseConditionHolds) {
  run(with_workers(1), [] {
    conditional_mutex lock;
    int value = 0;
    std::string order;
    std::vector<decltype(spawn([] {}))> all;
    const auto wait_for = [&](int wanted) {
      all.push_back(spawn([&, wanted] {
        lock.lock_when([&] { return value >= wanted; });
        order += std::to_string(wanted);
        lock.unlock();
      }));
      yield();
    };
    for (const int wanted : {3, 2, 1, 2}) wait_for(wanted);
    for (int i = 0; i < 3; ++i) {
      lock.lock();
      ++value;
      lock.unlock();
      for (int y = 0; y < 10; ++y) yield();
    }
    for (auto& each : all) each.join();
    EXPECT_EQ(order, "1223");
  });
}

TEST_P(ConditionalMutex, Limits) {
  run(chosen, [] {
    conditional_mutex lock;
    bool holds = false;
    const auto condition = [&] { return holds; };
    EXPECT_EQ(lock.lock_when(condition, 1ms), wake_reason::timed_out);
    std::stop_source stop;
    auto other = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(lock.lock_when(condition, {1h, stop.get_token()}), wake_reason::cancelled);
    other.join();
    EXPECT_TRUE(lock.try_lock());
    EXPECT_EQ(spawn([&] { return lock.lock_when(condition, 1ms); }).join(), wake_reason::timed_out) << "is held";
    holds = true;
    lock.unlock();
    EXPECT_EQ(lock.lock_when(condition, 1ms), wake_reason::woken);
    lock.unlock();
  });
}

TEST_P(ConditionalMutex, AConditionThatThrows_EndsItsOwnWait) {
  run(chosen, [] {
    conditional_mutex lock;
    EXPECT_THROW(lock.lock_when([]() -> bool { throw std::runtime_error("at once"); }), std::runtime_error);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();

    bool brittle = false;
    bool holds = false;
    native_provider::atomic<int> waiting{0};
    counter done;
    for (int i = 0; i < 3; ++i) {
      spawn_with_counter(done, [&] {
        EXPECT_EQ(test::message_of<std::runtime_error>([&] {
                    lock.lock_when([&] {
                      waiting.fetch_add(1);
                      if (brittle) throw std::runtime_error("later");
                      return false;
                    });
                  }),
                  "later");
      });
    }
    spawn_with_counter(done, [&] {
      lock.lock_when([&] {
        waiting.fetch_add(1);
        return holds;
      });
      lock.unlock();
    });
    EXPECT_TRUE(test::eventually_yielding("all wait", [&] { return waiting.load() >= 4; }));
    lock.lock();
    brittle = true;
    lock.unlock();  // wakes three, and throws nothing
    lock.lock();
    holds = true;
    lock.unlock();
    wait_for_counter(done);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
  });
}

TEST(ConditionalMutexDeathTest, Misuse_EndsTheProcess) {
  EXPECT_DEATH(
      {
        conditional_mutex of;
        of.unlock();
      },
      "a conditional_mutex was unlocked that nobody owns");
  EXPECT_DEATH(
      {
        conditional_mutex of;
        of.lock();
      },
      "a conditional_mutex was destroyed while somebody owns it");
}

// A bounded buffer of two conditions, timed and cancelled.
void storm(std::uint64_t seed, unsigned workers) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr int each = 300;
  conditional_mutex lock;
  int items = 0;
  int moved = 0;
  const auto take_part = [&](bool puts, std::uint64_t mine) {
    random_source random(mine);
    const auto condition = [&] { return puts ? items < 3 : items > 0; };
    for (int done = 0; done < each;) {
      std::stop_source stop;
      bool got = true;
      switch (random.below(3)) {
        case 0: lock.lock_when(condition); break;
        case 1:
          got = lock.lock_when(condition, std::chrono::microseconds(random.below(60))) == wake_reason::woken;
          break;
        default:
          if (random.below(2) == 0) stop.request_stop();
          got = lock.lock_when(condition, {std::chrono::microseconds(random.below(60)), stop.get_token()}) ==
                wake_reason::woken;
      }
      if (!got) continue;
      EXPECT_TRUE(condition());
      items += puts ? 1 : -1;
      ++moved;
      ++done;
      if (random.below(8) == 0) sleep_for(10us);
      random.below(2) == 0 ? lock.unlock() : lock.unlock_to_next();
    }
  };
  std::thread putting([&] { take_part(true, seed * 100); });
  std::thread taking([&] { take_part(false, seed * 100 + 1); });
  run(with_workers(workers), [&] {
    counter done;
    for (unsigned i = 0; i < 8; ++i) {
      spawn_with_counter(done, [&, i] { take_part(i % 2 == 0, seed * 100 + 50 + i); });
    }
    wait_for_counter(done);
  });
  putting.join();
  taking.join();
  EXPECT_EQ(items, 0);
  EXPECT_EQ(moved, 10 * each);
}

TEST(ConditionalMutexStorm, NothingIsLost) {
  for (const std::uint64_t seed : test::seeds(3)) {
    for (const unsigned workers : {1U, 4U}) storm(seed, workers);
  }
}

}  // namespace
}  // namespace ramie
