// The locked pool with each of its switches, and with many of them together.
#include "pools.hpp"

#include <ramie/base/random.hpp>

#include <gtest/gtest.h>

#include <support/eventually.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;

namespace subject = test::subject;

using subject::get_and_free;
using subject::owned_pool;
using subject::pool_of;

struct setting {
  const char* name;
  void (*set)(locked_pool_options& in);
};
void PrintTo(const setting& s, std::ostream* out) { *out << s.name; }

constexpr std::array settings{
    setting{"base", [](locked_pool_options&) {}},
    setting{"pin", [](locked_pool_options& o) { o.pin = true; }},
    setting{"const_fields", [](locked_pool_options& o) { o.const_fields = true; }},
    setting{"delayed_sleep", [](locked_pool_options& o) { o.delayed_sleep = true; }},
    setting{"padding", [](locked_pool_options& o) { o.padding = true; }},
    setting{"fewer_locks", [](locked_pool_options& o) { o.fewer_locks = true; }},
    setting{"unsigned_ids", [](locked_pool_options& o) { o.unsigned_ids = true; }},
    setting{"unsafe_reads", [](locked_pool_options& o) { o.unsafe_reads = true; }},
    setting{"reuse_futures", [](locked_pool_options& o) { o.reuse_futures = true; }},
    setting{"keep_heap", [](locked_pool_options& o) { o.keep_heap = true; }},
    setting{"push_limit_1", [](locked_pool_options& o) { o.push_limit = 1; }},
    setting{"push_limit_16", [](locked_pool_options& o) { o.push_limit = 16; }},
    setting{"status_bits", [](locked_pool_options& o) { o.future_layout = LOCKED_FUTURE_STATUS_BITS; }},
    setting{"result_in_data", [](locked_pool_options& o) { o.future_layout = LOCKED_FUTURE_RESULT_IN_DATA; }},
    setting{"without_pool", [](locked_pool_options& o) { o.future_layout = LOCKED_FUTURE_WITHOUT_POOL; }},
    setting{"futex", [](locked_pool_options& o) { o.future_layout = LOCKED_FUTURE_FUTEX; }},
    setting{"all",
            [](locked_pool_options& o) {
              o.pin = o.const_fields = o.delayed_sleep = o.padding = o.fewer_locks = o.unsigned_ids = o.unsafe_reads =
                  o.reuse_futures = o.keep_heap = true;
              o.push_limit = 16;
              o.future_layout = LOCKED_FUTURE_FUTEX;
            }},
};

// How often, here and in what follows, a test repeats what needs luck.
constexpr int tries = test::sanitized ? 20 : 200;

void run_programs(const locked_pool_options& chosen) {
  for (const int threads : {1, 2, 4}) {
    const owned_pool pool = pool_of(chosen, threads);
    ASSERT_NE(pool, nullptr);
    for (const auto& each : subject::programs) {
      EXPECT_STREQ(each.run(pool.get(), 1), nullptr) << each.name << ", " << threads << " threads";
    }
  }
}

void* same(subject::pool*, void* data) { return data; }

class LockedPool : public ::testing::TestWithParam<setting> {
 protected:
  LockedPool() { GetParam().set(m_chosen); }
  [[nodiscard]] owned_pool make(int threads) const { return pool_of(m_chosen, threads); }

  locked_pool_options m_chosen{};
  test::watchdog m_hung{std::string("a locked pool with ") + GetParam().name};
};
INSTANTIATE_TEST_SUITE_P(C, LockedPool, ::testing::ValuesIn(settings),
                         [](const auto& info) { return info.param.name; });

TEST_P(LockedPool, Stress_Programs_GiveTheRightResults) { run_programs(m_chosen); }

TEST_P(LockedPool, Stress_GetsRaceWithTheEndOfTheTask) {
  const owned_pool pool = make(2);
  for (int i = 0; i < tries * 10; ++i) {
    ASSERT_EQ(get_and_free(subject::submit(pool.get(), same, &m_chosen)), &m_chosen);
  }
}

TEST_P(LockedPool, Stress_ATaskThatIsFreedBeforeItsEnd_RunsAllTheSame) {
  std::atomic<int> ran{0};
  const auto count = [](subject::pool*, void* into) -> void* {
    ++*static_cast<std::atomic<int>*>(into);
    return nullptr;
  };
  // In a task as well as outside.
  const auto litter = [](subject::pool* of, void* into) -> void* {
    const auto one = [](subject::pool*, void* number) -> void* {
      ++*static_cast<std::atomic<int>*>(number);
      return nullptr;
    };
    for (int i = 0; i < 5; ++i) subject::release(subject::submit(of, one, into));
    return nullptr;
  };
  {
    const owned_pool pool = make(2);
    for (int i = 0; i < tries; ++i) {
      subject::release(subject::submit(pool.get(), count, &ran));
      subject::release(subject::submit(pool.get(), litter, &ran));
    }
  }
  EXPECT_EQ(ran, 6 * tries);
}

// The pool's locks go while threads leave future_get.
TEST_P(LockedPool, Stress_APoolThatEndsWhileThreadsWait_GivesThemTheResult) {
  for (int i = 0; i < tries / 4; ++i) {
    owned_pool pool = make(1);
    const auto wait_a_little = [](subject::pool*, void* data) -> void* {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      return data;
    };
    subject::future* const one = subject::submit(pool.get(), wait_a_little, &i);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 2; ++t) threads.emplace_back([&] { EXPECT_EQ(subject::get(one), &i); });
      pool.reset();
    }
    EXPECT_EQ(get_and_free(one), &i);
  }
}

TEST_P(LockedPool, FuturesOfAPoolThatIsGone_AreGotAndFreedByTheNextOnesWorkers) {
  std::vector<subject::future*> kept;
  {
    const owned_pool pool = make(3);
    for (int i = 0; i < 20; ++i) kept.push_back(subject::submit(pool.get(), same, &kept));
  }
  const owned_pool next = make(2);
  const auto get = [](subject::pool*, void* awaited) -> void* {
    return get_and_free(static_cast<subject::future*>(awaited));
  };
  for (subject::future* const each : kept) EXPECT_EQ(get_and_free(subject::submit(next.get(), get, each)), &kept);
}

TEST_P(LockedPool, ATaskThatNobodyAsksFor_RunsWhileItsSubmitterWorksOn) {
  const owned_pool pool = make(2);
  std::atomic<int> ran{0};
  const auto outer = [](subject::pool* of, void* data) -> void* {
    auto& count = *static_cast<std::atomic<int>*>(data);
    const auto one = [](subject::pool*, void* into) -> void* {
      ++*static_cast<std::atomic<int>*>(into);
      return nullptr;
    };
    for (int i = 0; i < 50; ++i) subject::release(subject::submit(of, one, data));
    while (count < 50) std::this_thread::yield();
    return data;
  };
  EXPECT_EQ(get_and_free(subject::submit(pool.get(), outer, &ran)), &ran);
}

TEST_P(LockedPool, Idle_UsesNoCpu) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  const owned_pool pool = make(4);
  EXPECT_STREQ(subject::programs[0].run(pool.get(), 1), nullptr);
  EXPECT_TRUE(test::eventually("all workers sleep on", [] { return test::others_sleep_for(50ms); }));
}

// A worker waits for one that sleeps: it may look for work some microseconds, and no longer.
TEST_P(LockedPool, Get_WhileTheThiefSleeps_UsesNoCpu) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  if (m_chosen.push_limit == 1) m_chosen.push_limit = 0;  // nothing would be stolen
  const owned_pool pool = make(2);
  std::atomic<bool> begun{false};
  const auto outer = [](subject::pool* of, void* data) -> void* {
    const auto sleep = [](subject::pool*, void* at) -> void* {
      *static_cast<std::atomic<bool>*>(at) = true;
      EXPECT_TRUE(test::eventually("who waits sleeps on", [] { return test::others_sleep_for(50ms); }));
      return at;
    };
    subject::future* const stolen = subject::submit(of, sleep, data);
    while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
    return get_and_free(stolen);
  };
  EXPECT_EQ(get_and_free(subject::submit(pool.get(), outer, &begun)), &begun);
}

locked_pool_options drawn_options(std::uint64_t seed) {
  random_source random(seed);
  const auto coin = [&] { return random.below(2) != 0; };
  locked_pool_options drawn{};
  drawn.pin = coin();
  drawn.const_fields = coin();
  drawn.delayed_sleep = coin();
  drawn.padding = coin();
  drawn.fewer_locks = coin();
  drawn.unsigned_ids = coin();
  drawn.unsafe_reads = coin();
  drawn.reuse_futures = coin();
  drawn.keep_heap = coin();
  drawn.push_limit = coin() ? random.below(20) : 0;
  drawn.future_layout = static_cast<int>(random.below(LOCKED_FUTURE_FUTEX + 1));
  return drawn;
}

TEST(LockedPoolTogether, Stress_SwitchesDrawnFromASeed_GiveTheRightResults) {
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 5 : 50)) {
    SCOPED_TRACE("RAMIE_SEED=" + std::to_string(seed));
    const test::watchdog hung("a locked pool, RAMIE_SEED=" + std::to_string(seed));
    run_programs(drawn_options(seed));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ramie
