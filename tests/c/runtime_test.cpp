// The C interface to the runtime: what it does. Its errors are in errors_test.cpp.
#include "drive_runtime.h"

#include <ramie/c/ramie.h>

#include <gtest/gtest.h>

#include <support/eventually.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace ramie {
namespace {

using test::watchdog;

// One worker, two, and more than most machines that run this have CPUs.
class CRuntime : public ::testing::TestWithParam<unsigned> {
 protected:
  watchdog m_limit{"the C interface"};
};
INSTANTIATE_TEST_SUITE_P(Workers, CRuntime, ::testing::Values(1U, 2U, 9U));

TEST_P(CRuntime, Forks_GiveWhatCallsGive) {
  constexpr int n = test::sanitized ? 12 : 20;
  EXPECT_STREQ(drive_forks(GetParam(), 0, n), nullptr);
  EXPECT_STREQ(drive_forks(GetParam(), RAMIE_STEAL_CONTINUATIONS, n), nullptr);
}

TEST_P(CRuntime, Joins_GiveEachFibersResult) {
  EXPECT_STREQ(drive_joins(GetParam(), 1), nullptr);
  EXPECT_STREQ(drive_joins(GetParam(), 500), nullptr);
}

TEST_P(CRuntime, Counter_ReleasesFibersAndThreads) {
  EXPECT_STREQ(drive_counter(GetParam(), test::sanitized ? 500 : 10'000), nullptr);
}

TEST_P(CRuntime, ThreadsSpawnAndJoin_AcrossRuntimes) {
  EXPECT_STREQ(drive_from_outside(GetParam(), test::sanitized ? 20 : 500), nullptr);
}

TEST_P(CRuntime, StoppedAndStartedAgain_RunsWhatWasSpawnedMeanwhile) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = GetParam();
  ramie_runtime* home = nullptr;
  ASSERT_EQ(ramie_runtime_new(&options, &home), RAMIE_OK);
  EXPECT_EQ(ramie_runtime_stop(home), RAMIE_OK) << "one that does not run is stopped";
  std::atomic<int> ran{0};
  const ramie_function count = [](void* all) -> void* {
    ++*static_cast<std::atomic<int>*>(all);
    return nullptr;
  };
  ramie_fiber* kept = nullptr;
  ASSERT_EQ(ramie_runtime_spawn(home, &kept, nullptr, count, &ran), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_spawn(home, nullptr, nullptr, count, &ran), RAMIE_OK);
  EXPECT_FALSE(ramie_fiber_done(kept));
  ASSERT_EQ(ramie_runtime_start(home), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_stop(home), RAMIE_OK);
  EXPECT_EQ(ran, 2);
  EXPECT_TRUE(ramie_fiber_done(kept));
  EXPECT_EQ(ramie_join(kept, nullptr), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_spawn(home, nullptr, nullptr, count, &ran), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_run(home), RAMIE_OK);
  EXPECT_EQ(ran, 3);
  ASSERT_EQ(ramie_runtime_spawn(home, nullptr, nullptr, count, &ran), RAMIE_OK);
  ramie_runtime_free(home);
  EXPECT_EQ(ran, 3) << "what never ran is dropped";
}

TEST_P(CRuntime, Detached_RunsBeforeTheRunEnds) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = GetParam();
  std::atomic<bool> ran{false};
  const ramie_function first = [](void* flag) -> void* {
    ramie_fiber* fiber = nullptr;
    const ramie_function set = [](void* at) -> void* {
      ramie_yield();
      static_cast<std::atomic<bool>*>(at)->store(true);
      return nullptr;
    };
    if (ramie_spawn(&fiber, nullptr, set, flag) != RAMIE_OK) return nullptr;
    return ramie_detach(fiber) == RAMIE_OK ? flag : nullptr;
  };
  void* result = nullptr;
  ASSERT_EQ(ramie_run(&options, first, &ran, &result), RAMIE_OK);
  EXPECT_EQ(result, &ran);
  EXPECT_TRUE(ran);
}

TEST_P(CRuntime, AFiberKnowsItself) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = GetParam();
  struct seen {
    std::uint64_t id;
    std::string name;
    int worker;
  } inside{};
  const ramie_function look = [](void* at) -> void* {
    *static_cast<seen*>(at) = {ramie_this_fiber_id(), ramie_this_fiber_name(), ramie_this_fiber_worker()};
    return nullptr;
  };
  ramie_runtime* home = nullptr;
  ramie_fiber* fiber = nullptr;
  ramie_spawn_options how = RAMIE_SPAWN_OPTIONS_INIT;
  how.name = "looker";
  ASSERT_EQ(ramie_runtime_new(&options, &home), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_spawn(home, &fiber, &how, look, &inside), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_run(home), RAMIE_OK);
  EXPECT_EQ(inside.id, ramie_fiber_id(fiber));
  EXPECT_EQ(inside.name, "looker");
  EXPECT_STREQ(ramie_fiber_name(fiber), "looker");
  EXPECT_GE(inside.worker, 0);
  EXPECT_LT(inside.worker, static_cast<int>(GetParam()));
  EXPECT_EQ(ramie_join(fiber, nullptr), RAMIE_OK);
  ramie_runtime_free(home);
}

TEST(CRuntimeOptions, EveryOne_IsTaken) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = 2;
  options.flags = RAMIE_PIN | RAMIE_STEAL_CONTINUATIONS | RAMIE_UNGUARDED_STACKS;
  options.stack_size = 65536;
  options.retained_stacks = 10;
  options.seed = 77;
  options.spin_ns = 0;
  options.profile = "";
  const ramie_function nothing = [](void* argument) { return argument; };
  for (const char* const queue :
       {"global", "locked", "abp", "chase_lev", "bwos_lifo", "bwos_fifo", "exchange", "split"}) {
    for (const char* const victim :
         {"sequential", "random", "random_start", "last_victim", "two_random", "hierarchical", "probabilistic"}) {
      options.queue = queue;
      options.victim = victim;
      void* result = nullptr;
      ASSERT_EQ(ramie_run(&options, nothing, &options, &result), RAMIE_OK) << ramie_last_error();
      EXPECT_EQ(result, &options);
    }
  }
}

TEST(CRuntimeOptions, NoneAtAll_AreTheDefaults) {
  ramie_runtime* home = nullptr;
  ASSERT_EQ(ramie_runtime_new(nullptr, &home), RAMIE_OK);
  EXPECT_GE(ramie_runtime_worker_count(home), 1U);
  ramie_runtime_free(home);
  ramie_runtime_free(nullptr);
  ramie_counter_free(nullptr);
}

TEST(CRuntimeLeaks, Nothing_IsLeftBehind) {
  const auto drive = [] { return drive_counter(2, 50); };
  ASSERT_STREQ(drive(), nullptr);  // what is made once is there afterwards
  const test::thread_ids threads = test::threads();
  const std::size_t files = test::open_files();
  for (int i = 0; i < 5; ++i) ASSERT_STREQ(drive(), nullptr);
  EXPECT_TRUE(test::eventually("the runtimes' threads are gone", [&] { return test::threads_since(threads) == 0; }));
  EXPECT_EQ(test::open_files(), files);
}

TEST(CVersion, HeaderLibraryAndCMake_Agree) {
  EXPECT_EQ(version_in_c(), RAMIE_VERSION);
  EXPECT_EQ(ramie_version(), RAMIE_VERSION);
  EXPECT_EQ(std::to_string(RAMIE_VERSION_MAJOR) + "." + std::to_string(RAMIE_VERSION_MINOR) + "." +
                std::to_string(RAMIE_VERSION_PATCH),
            RAMIE_PROJECT_VERSION);
}

}  // namespace
}  // namespace ramie
