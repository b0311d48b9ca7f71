// The promises of threadpool.h, as tests of a pool: ramie's (tests/c), and the locked one of the suite `ablation`
// (tests/locked_pool), which promises the same. For one source of a program, after the header that says what
// ramie::test::subject is there: the types and functions of the pool, and the programs in C for it.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/topology/affinity.hpp>

#include <gtest/gtest.h>

#include <support/eventually.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;

namespace subject = test::subject;

using subject::get_and_free;
using subject::make;
using subject::owned_pool;

// Waits for `flag`, on this kernel thread.
void spin_until(const std::atomic<int>& flag, int value) {
  while (flag.load() < value) std::this_thread::yield();
}

class ThreadPoolProgram : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static owned_pool make() { return subject::make(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(C, ThreadPoolProgram, ::testing::Values(1, 2, 3, 4, 8, 16, 32),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_P(ThreadPoolProgram, Each_GivesTheRightResult) {
  const test::watchdog hung("a program on a thread pool");
  const owned_pool pool = make();
  ASSERT_NE(pool, nullptr);
  for (const auto& each : subject::programs) EXPECT_STREQ(each.run(pool.get(), 1), nullptr) << each.name;
}

TEST_P(ThreadPoolProgram, Stress_AllAtOnce_FromThreadsOutside) {
  const test::watchdog hung("programs on a thread pool");
  for (unsigned round = 0; round < test::repetitions(test::sanitized ? 1 : 3); ++round) {
    const owned_pool pool = make();
    ASSERT_NE(pool, nullptr);
    std::vector<std::jthread> threads;
    for (const auto& each : subject::programs) {
      threads.emplace_back([&] { EXPECT_STREQ(each.run(pool.get(), 2), nullptr) << each.name; });
    }
  }
}

TEST_P(ThreadPoolProgram, New_StartsExactlyThatManyThreads) {
  std::thread([] {}).join();  // with the first one ThreadSanitizer starts one of its own
  const test::thread_ids before = test::threads();
  {
    const owned_pool pool = make();
    EXPECT_EQ(test::threads_since(before), static_cast<std::size_t>(GetParam()));
  }
  EXPECT_TRUE(test::eventually("the pool's threads are gone", [&] { return test::threads_since(before) == 0; }));
}

TEST_P(ThreadPoolProgram, Idle_UsesNoCpu) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  const owned_pool pool = make();
  EXPECT_STREQ(subject::programs[0].run(pool.get(), 1), nullptr);
  EXPECT_TRUE(test::eventually("all workers sleep on", [] { return test::others_sleep_for(50ms); }));
}

TEST(ThreadPool, Get_InAWorker_RunsWhatNobodyHasBegun_OnTheSameThread) {
  const owned_pool pool = make(1);
  const auto outer = [](subject::pool* of, void*) -> void* {
    std::array<std::thread::id, 3> ran;
    std::array<subject::future*, 3> inner{};
    const auto note = [](subject::pool*, void* id) -> void* {
      *static_cast<std::thread::id*>(id) = std::this_thread::get_id();
      return id;
    };
    for (std::size_t i = 0; i < 3; ++i) inner[i] = subject::submit(of, note, &ran[i]);
    bool right = true;
    for (const std::size_t i : {1U, 0U, 2U}) {
      right = right && get_and_free(inner[i]) == &ran[i] && ran[i] == std::this_thread::get_id();
    }
    static char yes;
    return right ? &yes : nullptr;
  };
  EXPECT_NE(get_and_free(subject::submit(pool.get(), outer, nullptr)), nullptr);
}

// Only the task that is waited for: an older one might wait for what lies below it on the stack.
TEST(ThreadPool, Get_InAWorker_LeavesOlderTasksAlone) {
  const owned_pool pool = make(1);
  struct order {
    int next = 0;
    int older = -1;
    int newer = -1;
    subject::future* of_older = nullptr;
  } seen;
  const auto outer = [](subject::pool* of, void* data) -> void* {
    auto& all = *static_cast<order*>(data);
    all.of_older = subject::submit(
        of,
        [](subject::pool*, void* at) -> void* {
          auto& mine = *static_cast<order*>(at);
          mine.older = mine.next++;
          return at;
        },
        data);
    subject::future* const newer = subject::submit(
        of,
        [](subject::pool*, void* at) -> void* {
          auto& mine = *static_cast<order*>(at);
          mine.newer = mine.next++;
          return at;
        },
        data);
    get_and_free(newer);
    return all.older == -1 ? data : nullptr;
  };
  EXPECT_NE(get_and_free(subject::submit(pool.get(), outer, &seen)), nullptr);
  get_and_free(seen.of_older);
  EXPECT_EQ(seen.newer, 0);
  EXPECT_EQ(seen.older, 1);
}

// Both workers wait for a task from outside that is in the queue behind others: each begins the one that it waits for.
TEST(ThreadPool, Get_InAWorker_BeginsATaskThatWasSubmittedFromOutside) {
  const test::watchdog hung("a worker that waits for a task from outside");
  const owned_pool pool = make(1);
  struct play {
    std::atomic<int> stage{0};
    subject::future* late = nullptr;
  } shared;
  subject::future* const waits = subject::submit(
      pool.get(),
      [](subject::pool*, void* data) -> void* {
        auto& mine = *static_cast<play*>(data);
        mine.stage = 1;
        spin_until(mine.stage, 2);
        return subject::get(mine.late);
      },
      &shared);
  spin_until(shared.stage, 1);
  // One that waits for the waiting one: if it were begun before `late`, nothing would ever go on.
  subject::future* const between = subject::submit(
      pool.get(), [](subject::pool*, void* of) -> void* { return subject::get(static_cast<subject::future*>(of)); },
      waits);
  shared.late = subject::submit(pool.get(), [](subject::pool*, void* data) -> void* { return data; }, &shared);
  shared.stage = 2;
  EXPECT_EQ(get_and_free(between), &shared);
  EXPECT_EQ(get_and_free(waits), &shared);
  subject::release(shared.late);
}

// One worker waits for a task that the other runs, and is asleep before that one submits two tasks that want to run at
// the same time.
TEST(ThreadPool, Get_InAWorker_HelpsWhoHasTakenTheTask_AlsoAfterItHasSlept) {
  const test::watchdog hung("a worker that sleeps beside its thief");
  const owned_pool pool = make(2);
  struct play {
    std::atomic<int> begun{0};
    std::atomic<int> together{0};
  } shared;
  const auto outer = [](subject::pool* of, void* data) -> void* {
    subject::future* const stolen = subject::submit(
        of,
        [](subject::pool* inner_pool, void* at) -> void* {
          auto& mine = *static_cast<play*>(at);
          mine.begun = 1;
          EXPECT_TRUE(test::eventually("who waits sleeps", [] { return test::others_sleep_for(5ms); }));
          const auto meet = [](subject::pool*, void* meeting) -> void* {
            auto& both = *static_cast<play*>(meeting);
            ++both.together;
            spin_until(both.together, 2);
            return meeting;
          };
          subject::future* const other = subject::submit(inner_pool, meet, at);
          meet(inner_pool, at);
          return get_and_free(other);
        },
        data);
    spin_until(static_cast<play*>(data)->begun, 1);
    return get_and_free(stolen);
  };
  EXPECT_EQ(get_and_free(subject::submit(pool.get(), outer, &shared)), &shared);
}

TEST(ThreadPool, Get_WhileTheTaskSleeps_UsesNoCpu) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  const owned_pool pool = make(2);
  std::atomic<int> begun{0};
  const auto outer = [](subject::pool* of, void* data) -> void* {
    subject::future* const stolen = subject::submit(
        of,
        [](subject::pool*, void* at) -> void* {
          *static_cast<std::atomic<int>*>(at) = 1;
          EXPECT_TRUE(test::eventually("who waits sleeps on", [] { return test::others_sleep_for(50ms); }));
          return at;
        },
        data);
    spin_until(*static_cast<std::atomic<int>*>(data), 1);
    return get_and_free(stolen);
  };
  EXPECT_EQ(get_and_free(subject::submit(pool.get(), outer, &begun)), &begun);
}

TEST(ThreadPool, Get_ByManyThreadsAndTasks_GivesAllTheResult) {
  const test::watchdog hung("many that wait for one");
  const owned_pool pool = make(3);
  std::atomic<int> go{0};
  subject::future* const one = subject::submit(
      pool.get(),
      [](subject::pool*, void* data) -> void* {
        spin_until(*static_cast<std::atomic<int>*>(data), 1);
        return data;
      },
      &go);
  std::vector<subject::future*> tasks;
  for (int i = 0; i < 5; ++i) {
    tasks.push_back(subject::submit(
        pool.get(), [](subject::pool*, void* of) -> void* { return subject::get(static_cast<subject::future*>(of)); },
        one));
  }
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 5; ++i) threads.emplace_back([&] { EXPECT_EQ(subject::get(one), &go); });
    std::this_thread::sleep_for(5ms);
    go = 1;
  }
  for (subject::future* const each : tasks) EXPECT_EQ(get_and_free(each), &go);
  subject::release(one);
}

// Tasks that submit tasks that nobody asks for.
struct litter {
  std::atomic<int>* ran;
  int depth;
};
void* leave_litter(subject::pool* of, void* data) {
  const std::unique_ptr<litter> mine(static_cast<litter*>(data));
  ++*mine->ran;
  for (int i = 0; i < 2 && mine->depth > 0; ++i) {
    subject::release(subject::submit(of, leave_litter, new litter{mine->ran, mine->depth - 1}));
  }
  return nullptr;
}

TEST(ThreadPool, Shutdown_FinishesWhatWasSubmitted_AndWhatThatSubmits) {
  const test::watchdog hung("a shutdown");
  for (const int threads : {1, 2, 5}) {
    std::atomic<int> ran{0};
    {
      const owned_pool pool = make(threads);
      for (int i = 0; i < 10; ++i) subject::release(subject::submit(pool.get(), leave_litter, new litter{&ran, 7}));
    }
    EXPECT_EQ(ran, 10 * 255);
  }
}

TEST(ThreadPool, Futures_OutliveThePool) {
  std::vector<subject::future*> kept;
  int data = 0;
  {
    const owned_pool pool = make(2);
    for (int i = 0; i < 100; ++i) {
      kept.push_back(subject::submit(pool.get(), [](subject::pool*, void* at) -> void* { return at; }, &data));
    }
  }
  for (subject::future* const each : kept) EXPECT_EQ(get_and_free(each), &data);
}

TEST(ThreadPool, Tasks_OfOnePool_SubmitToAnother) {
  const test::watchdog hung("two pools");
  const owned_pool first = make(2);
  const owned_pool second = make(1);
  const auto outer = [](subject::pool*, void* other) -> void* {
    auto* const pool = static_cast<subject::pool*>(other);
    return get_and_free(subject::submit(pool, [](subject::pool* mine, void*) -> void* { return mine; }, nullptr));
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(get_and_free(subject::submit(first.get(), outer, second.get())), second.get());
  }
}

TEST(ThreadPool, Pinned_KeepsEachWorkerOnItsProcessor) {
  const owned_pool pool = subject::make_pinned();
  std::size_t cpus = 0;
  const auto count = [](subject::pool*, void* into) -> void* {
    *static_cast<std::size_t*>(into) = topology::allowed_cpus().size();
    return nullptr;
  };
  get_and_free(subject::submit(pool.get(), count, &cpus));
  EXPECT_EQ(cpus, 1U);
}

TEST(ThreadPool, New_WithANumberThatIsNone_SaysSo) {
  for (const int threads : {0, -1, 4097}) {
    errno = 0;
    EXPECT_EQ(make(threads), nullptr) << threads;
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST(ThreadPool, New_WithoutMemoryForThreads_SaysSo) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers need address space of their own";
  const auto new_with_little_memory = [] {
    const rlimit little{std::size_t{1} << 30U, std::size_t{1} << 30U};
    ::setrlimit(RLIMIT_AS, &little);
    errno = 0;
    const owned_pool pool = make(1000);
    ::_exit(pool == nullptr && (errno == EAGAIN || errno == ENOMEM) ? 0 : 1);
  };
  EXPECT_EXIT(new_with_little_memory(), ::testing::ExitedWithCode(0), "");
}

TEST(ThreadPoolDeathTest, Null_IsNamed) {
  const owned_pool pool = make(1);
  EXPECT_DEATH(subject::submit(nullptr, leave_litter, nullptr), "pool_submit was given NULL as the pool");
  EXPECT_DEATH(subject::submit(pool.get(), nullptr, nullptr), "pool_submit was given NULL as the task");
  EXPECT_DEATH(subject::get(nullptr), "future_get was given NULL as the future");
  subject::release(nullptr);
  subject::end(nullptr);
}

TEST(ThreadPoolDeathTest, ShutdownByATask_IsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        subject::pool* const pool = make(1).release();
        const auto end = [](subject::pool* mine, void*) -> void* {
          subject::end(mine);
          return nullptr;
        };
        get_and_free(subject::submit(pool, end, nullptr));
      },
      "pool_shutdown_and_destroy was called by a task of the pool");
}

TEST(ThreadPoolDeathTest, ExitInATask_OfAPoolThatAStaticObjectOwns_EndsTheProcessWithItsStatus) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static owned_pool pool;
        pool = make(2);
        const auto leave = [](subject::pool*, void*) -> void* { std::exit(9); };
        get_and_free(subject::submit(pool.get(), leave, nullptr));
      },
      ::testing::ExitedWithCode(9), "");
}

TEST(ThreadPoolDeathTest, ATaskThatEndsItsThread_IsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const owned_pool pool = make(1);
        const auto leave = [](subject::pool*, void*) -> void* { ::pthread_exit(nullptr); };
        get_and_free(subject::submit(pool.get(), leave, nullptr));
      },
      "a task of a thread pool ended its thread.*return from the task");
  EXPECT_DEATH(
      {
        const owned_pool pool = make(1);
        const auto submitter = [](subject::pool* of, void*) -> void* {
          const auto leave = [](subject::pool*, void*) -> void* { ::pthread_exit(nullptr); };
          return get_and_free(subject::submit(of, leave, nullptr));
        };
        get_and_free(subject::submit(pool.get(), submitter, nullptr));
      },
      "a task of a thread pool ended its thread");
}

TEST(ThreadPoolDeathTest, AnExceptionThatEscapesATask_EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const owned_pool pool = make(1);
        get_and_free(subject::submit(
            pool.get(), [](subject::pool*, void*) -> void* { throw misuse("out of a task"); }, nullptr));
      },
      "out of a task");
}

TEST(ThreadPoolDeathTest, ATaskThatWaitsForItself_IsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const owned_pool pool = make(1);
        std::atomic<subject::future*> mine{nullptr};
        const auto wait = [](subject::pool*, void* at) -> void* {
          auto& own = *static_cast<std::atomic<subject::future*>*>(at);
          while (own.load() == nullptr) std::this_thread::yield();
          return subject::get(own.load());
        };
        mine = subject::submit(pool.get(), wait, &mine);
        subject::get(mine.load());
      },
      "future_get was called for a task that cannot go on before the caller ends");
}

}  // namespace
}  // namespace ramie
