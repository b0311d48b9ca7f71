// The thread pool: what threadpool.h promises, and the options.
#include "pools.hpp"

#include "thread_pool_cases.hpp"

#include <cstdint>

#include "c/pool/pool.hpp"

namespace ramie {
namespace {

TEST(ThreadPool, New_WithOptionsThatAreNone_SaysSo) {
  const auto refused = [](auto&& change) {
    thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
    change(chosen);
    errno = 0;
    return owned_pool(thread_pool_new_with(&chosen)) == nullptr && errno == EINVAL;
  };
  EXPECT_TRUE(refused([](auto& o) { o.size = 0; }));
  EXPECT_TRUE(refused([](auto& o) { --o.size; }));
  EXPECT_TRUE(refused([](auto& o) { o.size = std::size_t{1} << 20U; }));
  EXPECT_TRUE(refused([](auto& o) { o.nthreads = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.nthreads = 4097; }));
  EXPECT_TRUE(refused([](auto& o) { o.spin_ns = -2; }));
  EXPECT_TRUE(refused([](auto& o) { o.spin_ns = INT64_MIN; }));
  errno = 0;
  EXPECT_EQ(thread_pool_new_with(nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(ThreadPool, New_WithTheOptionsOfANewerProgram_TakesWhatItKnows) {
  struct {
    thread_pool_options known = THREAD_POOL_OPTIONS_INIT;
    long later = 0;
  } newer;
  newer.known.size = sizeof(newer);
  EXPECT_NE(owned_pool(thread_pool_new_with(&newer.known)), nullptr);
  newer.later = 1;
  errno = 0;
  EXPECT_EQ(owned_pool(thread_pool_new_with(&newer.known)), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

// ---- How long a worker looks for tasks before it sleeps ----

thread_pool_options options_with(std::int64_t spin_ns, int threads) {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.nthreads = threads;
  chosen.spin_ns = spin_ns;
  return chosen;
}
owned_pool pool_with(std::int64_t spin_ns, int threads) {
  const thread_pool_options chosen = options_with(spin_ns, threads);
  return owned_pool(thread_pool_new_with(&chosen));
}

constexpr std::int64_t an_hour = std::chrono::nanoseconds(1h).count();

TEST(ThreadPoolSpin, IsThatOfTheOptions_OrWhatAWakeUpCosts) {
  const auto of = [](std::int64_t spin_ns, int threads) { return pool::patience_of(options_with(spin_ns, threads)); };
  EXPECT_EQ(of(0, 1), 0ns);
  EXPECT_EQ(of(1, 4096), 1ns);
  EXPECT_EQ(of(INT64_MAX, 1).count(), INT64_MAX);
  EXPECT_EQ(of(-1, 1), 30us);
  EXPECT_EQ(of(-1, static_cast<int>(topology::allowed_cpus().size())), 30us);
  EXPECT_EQ(of(-1, static_cast<int>(topology::allowed_cpus().size()) + 1), 0ns);
  const thread_pool_options usual = THREAD_POOL_OPTIONS_INIT;
  EXPECT_EQ(usual.spin_ns, -1);
}

class ThreadPoolSpinOf : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(C, ThreadPoolSpinOf, ::testing::Values(0, 1, an_hour, INT64_MAX),
                         [](const auto& info) { return std::to_string(info.param) + "_ns"; });

// Ends of pools with workers that look, or sleep, among them.
TEST_P(ThreadPoolSpinOf, Programs_GiveTheRightResults) {
  const test::watchdog hung("a thread pool with spin_ns");
  for (const int threads : {1, 2, 3}) {
    const owned_pool pool = pool_with(GetParam(), threads);
    ASSERT_NE(pool, nullptr);
    for (const auto& each : subject::programs) {
      EXPECT_STREQ(each.run(pool.get(), 1), nullptr) << each.name << ", " << threads << " threads";
    }
  }
}

// User and system time of all threads but this one.
std::chrono::microseconds cpu_time_of_others() {
  rusage mine{};
  ::getrusage(RUSAGE_THREAD, &mine);
  const auto of = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return test::cpu_time() - of(mine.ru_utime) - of(mine.ru_stime);
}

// Far longer than a worker looks that nobody has told how long.
testing::AssertionResult others_look() {
  const auto before = cpu_time_of_others();
  return test::eventually("the other worker uses its processor", [&] { return cpu_time_of_others() - before > 100ms; });
}

TEST(ThreadPoolSpin, AWorkerThatSleepsAtOnce_UsesNoCpu_AndWakesForEveryTask) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  const test::watchdog hung("a thread pool that sleeps at once");
  const owned_pool pool = pool_with(0, 2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(test::eventually("all workers sleep on", [] { return test::others_sleep_for(5ms); }));
    EXPECT_STREQ(subject::programs[i].run(pool.get(), 1), nullptr);
  }
}

TEST(ThreadPoolSpin, AnIdleWorkerThatSleepsLate_GoesOnLooking_UntilTheEnd) {
  const test::watchdog hung("a thread pool that sleeps late");
  const owned_pool pool = pool_with(an_hour, 1);
  EXPECT_TRUE(others_look());
  EXPECT_STREQ(subject::programs[0].run(pool.get(), 1), nullptr);
  EXPECT_TRUE(others_look());
}

TEST(ThreadPoolSpin, AWorkerThatWaits_SleepsLateToo) {
  const test::watchdog hung("a thread pool that sleeps late");
  const owned_pool pool = pool_with(an_hour, 2);
  std::atomic<int> begun{0};
  const auto outer = [](thread_pool* of, void* data) -> void* {
    future* const stolen = thread_pool_submit(
        of,
        [](thread_pool*, void* at) -> void* {
          *static_cast<std::atomic<int>*>(at) = 1;
          EXPECT_TRUE(others_look());
          return at;
        },
        data);
    spin_until(*static_cast<std::atomic<int>*>(data), 1);
    return get_and_free(stolen);
  };
  EXPECT_EQ(get_and_free(thread_pool_submit(pool.get(), outer, &begun)), &begun);
}

TEST(ThreadPoolSpin, AWorkerThatWaits_SleepsAtOnceToo) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  const test::watchdog hung("a thread pool that sleeps at once");
  const owned_pool pool = pool_with(0, 2);
  std::atomic<int> begun{0};
  const auto outer = [](thread_pool* of, void* data) -> void* {
    future* const stolen = thread_pool_submit(
        of,
        [](thread_pool*, void* at) -> void* {
          *static_cast<std::atomic<int>*>(at) = 1;
          EXPECT_TRUE(test::eventually("the waiting worker sleeps on", [] { return test::others_sleep_for(50ms); }));
          return at;
        },
        data);
    spin_until(*static_cast<std::atomic<int>*>(data), 1);
    return get_and_free(stolen);
  };
  EXPECT_EQ(get_and_free(thread_pool_submit(pool.get(), outer, &begun)), &begun);
}

}  // namespace
}  // namespace ramie
