// Algorithms that are called by threads which run no fiber.
#include <ramie/parallel/pipeline.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <stack/child.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ramie {
namespace {

using stack::test::in_child;
using stack::test::outcome;
using test::erased_for;
using test::watchdog;

// One of each way in which algorithms begin.
void call_each_algorithm() {
  constexpr int count = 10'000;
  std::vector<int> v(count);
  erased_for(0, count, [&](int i) { v[static_cast<std::size_t>(i)] = count - i; });
  EXPECT_EQ(v.front(), count);
  EXPECT_EQ(v.back(), 1);
  EXPECT_EQ(ramie::reduce(v), count * (count + 1) / 2);
  EXPECT_EQ(ramie::reduce({.deterministic = true}, v), count * (count + 1) / 2);
  std::vector<int> sums(v.size());
  ramie::inclusive_scan(v.begin(), v.end(), sums.begin());
  EXPECT_EQ(sums.back(), count * (count + 1) / 2);
  ramie::sort(v);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));

  const auto [left, right] = fork_join([] { return 1; }, [] { return 2; });
  EXPECT_EQ(left + right, 3);
  std::atomic<int> called{0};
  ramie::invoke([&] { ++called; }, [&] { ++called; });
  EXPECT_EQ(called, 2);

  int passed = 0;
  pipeline(
      {}, [next = 0]() mutable { return next < 10 ? std::optional<int>(next++) : std::nullopt; },
      stage::in_order([&](int x) { EXPECT_EQ(x, passed++); }));
  EXPECT_EQ(passed, 10);

  task_graph graph;
  graph.emplace([&] { ++called; }).precede(graph.emplace([&] { ++called; }));
  graph.run();
  EXPECT_EQ(called, 4);
}

TEST(BeforeTheRun, AnAlgorithmFromAThread_HasTheProcessRuntimeRun) {
  const watchdog limit("algorithms before scheduler_run()");
  for (const unsigned workers : {1U, 2U, 4U}) {
    scheduler_init(workers);
    call_each_algorithm();
    scheduler_run();
    EXPECT_THROW(erased_for(0, 10, [](int) {}), misuse);
  }
}

TEST(BeforeTheRun, WhatWasSpawned_RunsWithTheAlgorithm_AndSchedulerRunWaitsForIt) {
  const watchdog limit("an algorithm beside fibers that were spawned before");
  scheduler_init(2);
  counter open(1);
  bool ended = false;
  spawn([&] {
    wait_for_counter(open);
    ended = true;
  }).detach();
  std::atomic<int> ran{0};
  erased_for(0, 1000, [&](int) { ++ran; });
  EXPECT_EQ(ran, 1000);
  EXPECT_THROW(erased_for(0, 1000, [&](int i) { i == 500 ? throw 5 : 0; }), int);
  open.decrement();
  scheduler_run();
  EXPECT_TRUE(ended);
  EXPECT_THROW(scheduler_run(), misuse);
}

// Waits of a thread act as an algorithm does.
TEST(BeforeTheRun, JoinsAndWaitsOfAThread_HaveTheProcessRuntimeRun) {
  const watchdog limit("waits before scheduler_run()");
  scheduler_init(2);
  EXPECT_EQ(spawn([] { return 42; }).join(), 42);
  scheduler_run();

  scheduler_init(2);
  counter open;
  for (int i = 0; i < 10; ++i) spawn_with_counter(open, [] { yield(); });
  wait_for_counter(open);
  scheduler_run();

  scheduler_init(2);
  bool ran = false;
  job::handle one = job::create([&] { ran = true; });
  job::run(one);
  job::wait(one);
  EXPECT_TRUE(ran);
  scheduler_run();
}

TEST(BeforeTheRun, AProgramThatNeverCallsSchedulerRun_Ends) {
  const watchdog limit("a program without scheduler_run()");
  const outcome child = in_child([] {
    scheduler_init(2);
    std::atomic<int> ran{0};
    erased_for(0, 1000, [&](int) { ++ran; });
    std::exit(ran == 1000 ? 7 : 1);
    return 2;
  });
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}

TEST(BeforeTheRun, ThreadsThatCannotBeStarted_LeaveTheAlgorithmAsASystemError) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become a user without processes";
  const watchdog limit("an algorithm without threads");
  const outcome child = in_child([] {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 1;
    scheduler_init(64);
    rlimit before{};
    ::getrlimit(RLIMIT_NPROC, &before);
    rlimit none = before;
    none.rlim_cur = 1;
    ::setrlimit(RLIMIT_NPROC, &none);
    std::atomic<int> ran{0};
    try {
      erased_for(0, 1000, [&](int) { ++ran; });
      return 2;
    } catch (const std::system_error& error) {
      stack::test::say(error.what());
    }
    if (ran != 0) return 3;
    ::setrlimit(RLIMIT_NPROC, &before);
    erased_for(0, 1000, [&](int) { ++ran; });
    scheduler_run();
    return ran == 1000 ? 9 : 4;
  });
  EXPECT_TRUE(child.exited_with(9)) << child.status << child.text;
  EXPECT_TRUE(child.says("RLIMIT_NPROC")) << child.text;
}

// Threads and scheduler_run() at the same moment: the first of them has the runtime run.
TEST(BeforeTheRun, Stress_ThreadsAndSchedulerRunAtOnce) {
  const watchdog limit("threads and scheduler_run() at once");
  constexpr int threads = 3;
  for (int round = 0; round < (test::sanitized ? 50 : 500); ++round) {
    scheduler_init(2);
    counter left(threads);
    spawn([&] { wait_for_counter(left); }).detach();
    std::atomic<int> ran{0};
    {
      std::vector<std::jthread> callers;
      for (int i = 0; i < threads; ++i) {
        callers.emplace_back([&] {
          erased_for(0, 100, [&](int) { ++ran; });
          left.decrement();
        });
      }
      if (round % 2 == 0) std::this_thread::yield();
      scheduler_run();
    }
    ASSERT_EQ(ran, threads * 100);
  }
}

// The runtime that the policy names, and another one: that of the caller, or of the process.
struct two_runtimes {
  two_runtimes() { named.start(), other.start(); }

  runtime named{test::with_workers(3)};
  runtime other{test::with_workers(1)};
};

void expect_three_workers() { EXPECT_EQ(this_fiber::worker_count(), 3U); }

void call_each_algorithm_on(runtime& named) {
  std::vector<int> v{3, 1, 2, 5, 4};
  erased_for({.on = &named}, 0, 1000, [](int) { expect_three_workers(); });
  const auto plus = [](int a, int b) { return expect_three_workers(), a + b; };
  EXPECT_EQ(ramie::reduce({.on = &named}, v, 0, plus), 15);
  EXPECT_EQ(ramie::reduce({.deterministic = true, .on = &named}, v), 15);
  std::vector<int> sums(v.size());
  ramie::inclusive_scan({.on = &named}, v.begin(), v.end(), sums.begin(), plus);
  EXPECT_EQ(sums.back(), 15);
  const auto less = [](int a, int b) { return expect_three_workers(), a < b; };
  ramie::sort({.on = &named}, v, less);
  ramie::stable_sort({.on = &named}, v, less);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  int called = 0;
  ramie::invoke({.on = &named}, [&] { expect_three_workers(), ++called; });
  pipeline(
      {.on = &named}, [&] { return expect_three_workers(), called < 10 ? std::optional(1) : std::nullopt; },
      stage::serial([&](int) { expect_three_workers(), ++called; }));
  task_graph graph;
  graph.emplace([&] { expect_three_workers(), ++called; });
  graph.run(named);
  EXPECT_EQ(called, 11);
}

TEST(PolicyOn, AThread_IsServedByThatRuntime) {
  const watchdog limit("algorithms on a runtime that is named");
  two_runtimes pair;
  call_each_algorithm_on(pair.named);
  scheduler_init(1);
  call_each_algorithm_on(pair.named);
  scheduler_run();
}

TEST(PolicyOn, AFiberOfAnotherRuntime_WaitsForIt_AndHoldsNoWorker) {
  const watchdog limit("algorithms from another runtime");
  two_runtimes pair;
  bool passed = false;
  auto caller = pair.other.spawn([&] {
    call_each_algorithm_on(pair.named);
    EXPECT_EQ(this_fiber::worker_count(), 1U);
    counter open(1);
    auto opener = spawn([&] { open.decrement(); });  // on the caller's only worker, while that waits
    erased_for({.on = &pair.named}, 0, 10, [&](int) { wait_for_counter(open); });
    opener.join();
    passed = true;
  });
  caller.join();
  EXPECT_TRUE(passed);
}

TEST(PolicyOn, AFiberOfThatRuntime_GoesOnWhereItIs) {
  const watchdog limit("algorithms on the caller's own runtime");
  two_runtimes pair;
  auto caller = pair.named.spawn([&] {
    const std::uint64_t me = this_fiber::id();
    ramie::invoke({.on = &pair.named}, [me] { EXPECT_EQ(this_fiber::id(), me); });
    call_each_algorithm_on(pair.named);
  });
  caller.join();
}

TEST(PolicyOn, WhatIsThrown_LeavesTheCall) {
  const watchdog limit("algorithms that throw on another runtime");
  two_runtimes pair;
  EXPECT_THROW(erased_for({.on = &pair.named}, 0, 1000, [](int i) { i == 500 ? throw 5 : 0; }), int);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(erased_for({.stop = stop.get_token(), .on = &pair.named}, 0, 1000, [](int) {}), stopped);
}

TEST(PolicyOn, ARuntimeThatNothingRuns_IsMisuse_ButTheProcessRuntimeIsStarted) {
  const watchdog limit("algorithms on a runtime that nothing runs");
  runtime idle(test::with_workers(2));
  int called = 0;
  const auto call = [&] { ramie::invoke({.on = &idle}, [&] { ++called; }); };
  EXPECT_NE(test::message_of<misuse>(call).find("runtime::start()"), std::string::npos);
  run(test::with_workers(1), [&] { EXPECT_THROW(call(), misuse); });
  EXPECT_EQ(called, 0);
  idle.start();
  call();
  idle.stop();
  EXPECT_EQ(called, 1);
  EXPECT_THROW(call(), misuse);

  scheduler_init(2);
  runtime& of_process = detail::runtime_here();
  ramie::invoke({.on = &of_process}, [&] { ++called; });
  scheduler_run();
  EXPECT_EQ(called, 2);
}

}  // namespace
}  // namespace ramie
