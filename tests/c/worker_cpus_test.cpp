// Workers of the thread pool do not share a processor while another one is free of workers (scheduler/worker_cpus.hpp).
#include "pools.hpp"

#include <ramie/base/provider.hpp>
#include <ramie/topology/affinity.hpp>

#include <gtest/gtest.h>

#include <support/eventually.hpp>
#include <support/on_processor.hpp>
#include <support/process.hpp>
#include <support/watchdog.hpp>

#include <atomic>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace ramie {
namespace {

using test::on_processor;
using test::subject::get_and_free;
using test::subject::owned_pool;

// Its workers sleep as soon as they find nothing.
owned_pool pool_of_two() {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.nthreads = 2;
  chosen.spin_ns = 0;
  return owned_pool(thread_pool_new_with(&chosen));
}

// Two processors for this thread and for those that it makes: the first, where both workers are brought, and the
// second, where a thread of the lowest priority computes without end. The kernel lets whatever wakes on the first one
// stay there.
class ThreadPoolCpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<unsigned> all = topology::allowed_cpus();
    if (all.size() < 2) GTEST_SKIP() << "there is one processor";
    cpu_set_t two;
    CPU_ZERO(&two);
    CPU_SET(all[0], &two);
    CPU_SET(all[1], &two);
    ASSERT_EQ(::sched_setaffinity(0, sizeof two, &two), 0);
    m_neighbour = std::jthread([](const std::stop_token& stop) {
      const on_processor second(1);
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19);
      while (!stop.stop_requested()) native_provider::pause();
    });
  }

 private:
  const topology::affinity_guard m_before;
  const test::watchdog m_hung{"workers on two processors"};
  std::jthread m_neighbour;
};

// One meeting of two workers, again and again: one of them stays on the first processor and wakes the other one, which
// has fallen asleep there.
struct meeting {
  static constexpr int rounds = 40;

  std::atomic<pid_t> sleeper{0};
  std::atomic<int> begun{0};  // tasks
  std::atomic<int> awake{0};  // rounds in which the sleeper has been woken
  int shared = 0;             // of those, in how many it began to run where the other one was

  /// By the worker that has been woken, which then goes to where the other one is.
  void wakes() {
    if (native_provider::current_cpu() == topology::allowed_cpus().front()) ++shared;
    const on_processor first(0);
    ++awake;
  }
  [[nodiscard]] bool has_fallen_asleep() const { return test::asleep(sleeper); }
  /// A quarter: the kernel may bring it back at any moment, and does where other processes want the second processor.
  void expect_apart() const { EXPECT_LT(shared, rounds / 4) << "of " << rounds << " rounds"; }
};

void spin_until(const std::atomic<int>& count, int value) {
  while (count < value) native_provider::pause();
}

void* wake_up(thread_pool*, void* data) {
  static_cast<meeting*>(data)->wakes();
  return data;
}

void* wake_the_idle_one(thread_pool* of, void* data) {
  auto& mine = *static_cast<meeting*>(data);
  const on_processor first(0);
  for (int round = 1; round <= meeting::rounds; ++round) {
    future* const stolen = thread_pool_submit(
        of,
        [](thread_pool*, void* at) -> void* {
          static_cast<meeting*>(at)->sleeper = ::gettid();
          return wake_up(nullptr, at);
        },
        data);
    spin_until(mine.awake, round);
    get_and_free(stolen);
    EXPECT_TRUE(test::eventually("the other worker sleeps", [&] { return mine.has_fallen_asleep(); }));
  }
  return data;
}

TEST_F(ThreadPoolCpus, AnIdleWorkerThatWakesWhereTheOtherIs_Moves) {
  const owned_pool pool = pool_of_two();
  meeting both;
  EXPECT_EQ(get_and_free(thread_pool_submit(pool.get(), wake_the_idle_one, &both)), &both);
  both.expect_apart();
}

void* wake_the_one_that_waits(thread_pool* of, void* data) {
  auto& mine = *static_cast<meeting*>(data);
  const on_processor first(0);
  const int round = ++mine.begun;
  EXPECT_TRUE(test::eventually("the waiting worker sleeps", [&] { return mine.has_fallen_asleep(); }));
  future* const stolen = thread_pool_submit(of, wake_up, data);
  spin_until(mine.awake, round);
  return get_and_free(stolen);
}

void* wait_for_the_other(thread_pool* of, void* data) {
  auto& mine = *static_cast<meeting*>(data);
  mine.sleeper = ::gettid();
  for (int round = 1; round <= meeting::rounds; ++round) {
    future* const awaited = thread_pool_submit(of, wake_the_one_that_waits, data);
    spin_until(mine.begun, round);
    {
      const on_processor first(0);
    }
    get_and_free(awaited);
  }
  return data;
}

// In future_get it wakes for a part of the task that it waits for.
TEST_F(ThreadPoolCpus, AWaitingWorkerThatWakesWhereTheOtherIs_Moves) {
  const owned_pool pool = pool_of_two();
  meeting both;
  EXPECT_EQ(get_and_free(thread_pool_submit(pool.get(), wait_for_the_other, &both)), &both);
  both.expect_apart();
}

}  // namespace
}  // namespace ramie
