// The process around the fibers: fork, stacks that overflow, limits that are hit.
#include <stack/child.hpp>
#include <support/fibers.hpp>
#include <support/process.hpp>
#include <support/watchdog.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/stack/registry.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ramie {
namespace {

using stack::test::in_child;
using stack::test::outcome;
using test::watchdog;
using test::with_workers;

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[500];
  frame[0] = static_cast<char>(depth);
  const int deeper = depth > 10'000'000 ? 0 : recurse(depth + 1);
  return deeper + frame[0];
}

// A sanitizer's handler comes after ours, and ends the process in its own way.
bool died_of_the_fault(const outcome& child) {
  return test::sanitized ? !child.exited_with(0) : child.died_of(SIGSEGV);
}

TEST(StackOverflow, IsReportedWithTheFibersName) {
  for (const unsigned workers : {1U, 2U}) {
    const outcome child = in_child([workers] {
      run(with_workers(workers), [] {
        for (int i = 0; i < 10; ++i) yield();
        auto deep = spawn(spawn_options{.name = "bottomless"}, [] {
          yield();
          recurse(0);
        });
        deep.join();
      });
      return 0;
    });
    EXPECT_TRUE(died_of_the_fault(child)) << child.status << child.text;
    EXPECT_TRUE(child.says("\"bottomless\" overflowed its stack of 256 KiB")) << child.text;
    EXPECT_TRUE(child.says("spawn_options.stack_size")) << child.text;
  }
}

TEST(StackOverflow, NamesTheSizeThatTheFiberWasGiven) {
  const outcome child = in_child([] {
    run([] {
      auto deep = spawn(spawn_options{.name = "shallow", .stack_size = 64_KiB}, [] { recurse(0); });
      deep.join();
    });
    return 0;
  });
  EXPECT_TRUE(died_of_the_fault(child)) << child.status;
  EXPECT_TRUE(child.says("\"shallow\" overflowed its stack of 64 KiB")) << child.text;
}

#if !RAMIE_ASAN && !RAMIE_TSAN  // whose frames are larger

// As a function of a library whose frame was not compiled to touch each of its pages: it begins at the far end.
[[gnu::noinline]] void write_to_the_far_end() {
  volatile char frame[8192];
  frame[0] = 1;
  asm volatile("" ::"r"(frame) : "memory");
}

[[gnu::noinline]] void descend_to(std::uintptr_t end) {
  volatile char here[256];
  here[0] = 0;
  if (reinterpret_cast<std::uintptr_t>(here) > end + 1024) {
    descend_to(end);
  } else {
    write_to_the_far_end();
  }
  asm volatile("" ::"r"(here) : "memory");
}

TEST(StackOverflow, AFrameOfTwoPages_DoesNotStepOverTheGuard) {
  const outcome child = in_child([] {
    run(with_workers(1), [] {
      counter gate(1);
      bool begun = false;
      auto below = spawn(spawn_options{.name = "below"}, [&] {
        begun = true;
        wait_for_counter(gate);
      });
      while (!begun) yield();
      spawn(spawn_options{.name = "deep"}, [] {
        char variable = 0;
        stack::found mine;
        if (stack::find(&variable, mine)) descend_to(reinterpret_cast<std::uintptr_t>(mine.stack.bottom));
      }).join();
      gate.decrement();
      below.join();
    });
    return 0;
  });
  EXPECT_TRUE(child.died_of(SIGSEGV)) << child.status << child.text;
  EXPECT_TRUE(child.says("\"deep\" overflowed its stack of 256 KiB")) << child.text;
}
#endif

#if !RAMIE_ASAN  // which sees the first byte

// A fiber writes over the upper end of its stack, from a variable on it or where it says, while another one waits on
// the stack above.
template <class Write>
outcome overrun_upwards(Write write) {
  return in_child([=] {
    run(with_workers(1), [=] {
      counter gate(1);
      int begun = 0;
      bool go = false;
      auto culprit = spawn(spawn_options{.name = "culprit"}, [&] {
        ++begun;
        while (!go) yield();
        write();
      });
      while (begun == 0) yield();
      auto innocent = spawn(spawn_options{.name = "innocent"}, [&] {
        ++begun;
        wait_for_counter(gate);
      });
      while (begun == 1) yield();
      go = true;
      culprit.join();
      gate.decrement();
      innocent.join();
    });
    return 0;
  });
}

TEST(StackOverflow, AnArrayThatIsOverrunUpwards_IsNotTheOverflowOfTheFiberAbove) {
  const outcome child = overrun_upwards([] {
    volatile char array[64];
    static volatile char* at;  // not on the stack, which is overwritten
    at = array;
    for (;;) *at++ = 1;
  });
  EXPECT_TRUE(died_of_the_fault(child)) << child.status << child.text;
  EXPECT_FALSE(child.says("innocent")) << child.text;
  EXPECT_FALSE(child.says("overflowed")) << child.text;
  EXPECT_TRUE(child.says("wrote beyond the upper end of its stack of 256 KiB")) << child.text;
}

TEST(StackOverflow, AWriteBeyondTheUpperEnd_NamesWhoDidIt) {
  const outcome child = overrun_upwards([] {
    volatile char variable = 0;
    stack::found mine;
    if (!stack::find(const_cast<const char*>(&variable), mine)) return;
    mine.stack.top[1000] = std::byte{1};
  });
  EXPECT_TRUE(died_of_the_fault(child)) << child.status << child.text;
  EXPECT_FALSE(child.says("innocent")) << child.text;
  EXPECT_TRUE(child.says("\"culprit\" wrote beyond the upper end of its stack of 256 KiB")) << child.text;
}
#endif

// A fiber that finds no stack says which limit was hit, through its join; the others go on.
#if !RAMIE_ASAN && !RAMIE_TSAN  // their shadow memory does not fit under a limit of address space
TEST(SpawnFailure, ComesOutOfTheJoin_AndNamesTheLimit) {
  const outcome child = in_child([] {
    return run(with_workers(1), [] {
      rlimit limit{};
      limit.rlim_cur = limit.rlim_max = std::size_t{1} << 30U;
      ::setrlimit(RLIMIT_AS, &limit);
      auto small = spawn([] { return 3; });
      auto huge = spawn(spawn_options{.stack_size = bytes(std::size_t{4} << 30U)}, [] { return 1; });
      const std::string said = test::message_of<spawn_error>([&] { huge.join(); });
      stack::test::say(said);
      return small.join() + 1;
    });
  });
  EXPECT_TRUE(child.exited_with(4)) << child.status << child.text;
  EXPECT_TRUE(child.says("RLIMIT_AS")) << child.text;
}

std::size_t address_space() {
  std::size_t pages = 0;
  if (std::FILE* const statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu", &pages) != 1) pages = 0;
    std::fclose(statm);
  }
  return pages * 4096;
}

bool allow_address_space(bytes more) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return false;
  limit.rlim_cur = address_space() + more.count();
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

TEST(StackSizes, OneOfItsOwn_TakesTheAddressSpaceOfOne) {
  const outcome child = in_child([] {
    return run(with_workers(1), [] {
      const std::size_t before = address_space();
      spawn(spawn_options{.stack_size = 4_GiB}, [] {}).join();
      const std::size_t after_one = address_space();
      if (after_one - before > (5_GiB).count()) return 1;
      std::vector<join_handle<void>> all;
      for (int i = 0; i < 8; ++i) all.push_back(spawn(spawn_options{.stack_size = 4_GiB}, [] { yield(); }));
      for (auto& each : all) each.join();
      return address_space() - before > (17 * 4 + 1) * (1_GiB).count() ? 2 : 7;
    });
  });
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}

TEST(StackSizes, OneOfItsOwn_LeavesTheRestBelowALimitToOthers) {
  const outcome child = in_child([] {
    return run(with_workers(1), [] {
      if (!allow_address_space(3_GiB)) return 1;
      spawn(spawn_options{.stack_size = 1_GiB}, [] {}).join();
      constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
      return ::mmap(nullptr, (1_GiB).count(), PROT_NONE, flags, -1, 0) != MAP_FAILED ? 7 : 2;
    });
  });
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}

TEST(StackSizes, OneOfItsOwn_NeedsLittleMoreAddressSpaceThanItHas) {
  const outcome child = in_child([] {
    return run(with_workers(1), [] {
      if (!allow_address_space(1200_MiB)) return 1;
      return spawn(spawn_options{.stack_size = 1_GiB}, [] { return 7; }).join();
    });
  });
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}

TEST(SpawnFailure, OfADetachedFiber_EndsTheProcess) {
  const outcome child = in_child([] {
    run(with_workers(1), [] {
      rlimit limit{};
      limit.rlim_cur = limit.rlim_max = std::size_t{1} << 30U;
      ::setrlimit(RLIMIT_AS, &limit);
      spawn(spawn_options{.name = "huge", .stack_size = bytes(std::size_t{4} << 30U)}, [] {}).detach();
    });
    return 0;
  });
  EXPECT_TRUE(child.died_of(SIGABRT)) << child.status;
  EXPECT_TRUE(child.says("\"huge\" ended with an exception that nobody joins: ramie::spawn_error")) << child.text;
}

// Where the deque cannot grow, spawn throws, and everything spawned before still runs.
TEST(SpawnFailure, WithoutMemoryForTheDeque_ThrowsBadAlloc_AndLosesNothing) {
  const outcome child = in_child([] {
    int ran = 0, spawned = 0;
    bool refused = false;
    runtime home(with_workers(1));
    home.spawn([&] {
          std::size_t pages = 0;
          if (std::FILE* const statm = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(statm, "%zu", &pages) != 1) pages = 0;
            std::fclose(statm);
          }
          rlimit limit{};
          ::getrlimit(RLIMIT_AS, &limit);
          limit.rlim_cur = pages * 4096 + (std::size_t{24} << 20U);
          ::setrlimit(RLIMIT_AS, &limit);
          try {
            for (; spawned < 5'000'000; ++spawned) spawn([&] { ++ran; }).detach();
          } catch (const std::bad_alloc&) {
            refused = true;
          }
          limit.rlim_cur = limit.rlim_max;
          ::setrlimit(RLIMIT_AS, &limit);
        })
        .detach();
    home.run();
    return refused && ran == spawned ? 7 : 1;
  });
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}
#endif

TEST(Threads, ThatCannotBeStarted_AreASystemError_AndNothingHasRun) {
  if (::geteuid() == 0) {
    // RLIMIT_NPROC does not bind root: become somebody else in the child.
    const outcome child = in_child([] {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 1;
      rlimit limit{.rlim_cur = 1, .rlim_max = 1};
      ::setrlimit(RLIMIT_NPROC, &limit);
      bool ran = false;
      try {
        run(with_workers(64), [&] { ran = true; });
      } catch (const std::system_error& error) {
        stack::test::say(error.what());
        return ran ? 2 : 9;
      }
      return 3;
    });
    EXPECT_TRUE(child.exited_with(9)) << child.status << child.text;
    EXPECT_TRUE(child.says("RLIMIT_NPROC")) << child.text;
  } else {
    GTEST_SKIP() << "needs root, to become a user without processes";
  }
}

TEST(Fork, InsideAFiber_TheChildMayExit_TheParentGoesOn) {
  const watchdog limit("fork inside a fiber");
  const int sum = run(with_workers(2), [] {
    counter done;
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) spawn_with_counter(done, [&] { yield(), ++ran; });
    const pid_t child = ::fork();
    if (child == 0) ::_exit(33);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 33);
    yield();
    wait_for_counter(done);
    return ran.load();
  });
  EXPECT_EQ(sum, 100);
}

TEST(Fork, InTheChild_FiberCallsAreRefused) {
  run(with_workers(1), [] {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        yield();
      } catch (const misuse&) {
        ::_exit(11);
      } catch (...) {
      }
      ::_exit(12);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 11) << status;
  });
}

TEST(Fork, InTheChild_AFiberThatEnds_EndsTheProcessWithASentence) {
  const outcome ended = in_child([] {
    return run(with_workers(1), [] {
      const pid_t child = ::fork();
      if (child == 0) return 1;  // the fiber ends in the child
      int status = 0;
      ::waitpid(child, &status, 0);
      return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? 8 : 2;
    });
  });
  EXPECT_TRUE(ended.exited_with(8)) << ended.status << ended.text;
  EXPECT_TRUE(ended.says("a fiber ended in a process made by fork()")) << ended.text;
  EXPECT_TRUE(ended.says("call _exit() or exec")) << ended.text;
}

// A child that hangs is ended by an alarm.
template <class F>
int status_of_forked(F f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(f());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Fork, InTheChild_StopAndTheDestructor_LeaveTheParentsFibersAlone) {
  const watchdog limit("stop in a child made by fork()");
  auto home = std::make_unique<runtime>(with_workers(2));
  home->start();
  counter gate(1);
  auto waits = home->spawn([&] { wait_for_counter(gate); });  // and its handle exists
  const int status = status_of_forked([&] {
    home->stop();
    home->stop();
    try {
      home->start();
      return 1;
    } catch (const misuse& said) {
      if (std::strstr(said.what(), "fork()") == nullptr) return 2;
    }
    try {
      home->run();
      return 3;
    } catch (const misuse&) {
    }
    home.reset();
    // TSan lets the child of a program with threads start none.
    return run(with_workers(RAMIE_TSAN ? 1 : 2), [] { return spawn([] { return 7; }).join(); });
  });
  EXPECT_EQ(status, 7);
  gate.decrement();
  waits.join();
  home->stop();
}

TEST(Fork, InTheChildOfAFiber_WhatWouldWaitForEver_IsRefused) {
  const watchdog limit("waiting in a child made by fork()");
  run(with_workers(1), [] {
    counter gate(1);
    auto other = spawn([&] { wait_for_counter(gate); });
    auto work = job::create([&] { wait_for_counter(gate); });
    job::run(work);
    yield();
    const auto refused = [](auto&& call) {
      const std::string said = test::message_of<misuse>(call);
      return said.find("fork()") != std::string::npos;
    };
    EXPECT_EQ(status_of_forked([&] { return refused([&] { other.join(); }) ? 11 : 1; }), 11);
    EXPECT_EQ(status_of_forked([&] { return refused([&] { wait_for_counter(gate); }) ? 11 : 1; }), 11);
    EXPECT_EQ(status_of_forked([&] { return refused([&] { job::wait(work); }) ? 11 : 1; }), 11);
    // A result that has come already is there in the child, too.
    gate.decrement();
    other.join();
    job::wait(work);
    auto done = spawn([] { return 5; });
    while (!done.done()) yield();
    EXPECT_EQ(status_of_forked([&] {
                wait_for_counter(gate);
                return done.join();
              }),
              5);
    EXPECT_EQ(done.join(), 5);
  });
}

TEST(Fork, InTheChild_SchedulerRunOfWhatAThreadHasStarted_IsRefused) {
  const auto child = stack::test::in_child([] {
    ::alarm(60);
    scheduler_init(2);
    parallel_for(0, 10, [](int) {});  // starts it
    const auto grandchild = stack::test::in_child([] {
      ::alarm(60);
      return test::message_of<misuse>([] { scheduler_run(); }).find("fork()") != std::string::npos ? 11 : 1;
    });
    scheduler_run();
    return grandchild.exited_with(11) ? 12 : 1;
  });
  EXPECT_TRUE(child.exited_with(12)) << child.status << child.text;
}

TEST(Fork, InTheChildOfAThread_JoiningAFiberOfTheParent_IsRefused) {
  const watchdog limit("joining in a child made by fork()");
  runtime home(with_workers(2));
  home.start();
  counter gate(1);
  auto waits = home.spawn([&] { wait_for_counter(gate); });
  const int status = status_of_forked([&] {
    const std::string said = test::message_of<misuse>([&] { waits.join(); });
    return said.find("fork()") != std::string::npos && waits.joinable() ? 11 : 1;
  });
  EXPECT_EQ(status, 11);
  gate.decrement();
  waits.join();
  home.stop();
}

#if !RAMIE_TSAN  // it lets the child start no threads
TEST(Fork, InTheChildOfAFiber_ARuntimeOfItsOwn_IsWaitedForAsEver) {
  const watchdog limit("a runtime in the child of a fiber");
  const int status = run(with_workers(2), [] {
    return status_of_forked([] {
      runtime own(with_workers(2));
      own.start();
      counter left(3);
      for (int i = 0; i < 3; ++i) own.spawn([&] { left.decrement(); }).detach();
      wait_for_counter(left);
      const int result = own.spawn([] { return yield(), 9; }).join();
      own.stop();
      return result;
    });
  });
  EXPECT_EQ(status, 9);
}
#endif

TEST(Fork, InTheChild_TheProcessRuntimeOfTheParent_IsReplaced) {
  const watchdog limit("scheduler_init in a child made by fork()");
  scheduler_init(2);
  int status = 0;
  spawn([&] {
    status = status_of_forked([] {
      if (test::message_of<misuse>([] { spawn([] {}).detach(); }).find("fork()") == std::string::npos) return 1;
      scheduler_init(1);
      int result = 0;
      spawn([&] { result = spawn([] { return 13; }).join(); }).detach();
      scheduler_run();
      return result;
    });
  }).detach();
  scheduler_run();
  EXPECT_EQ(status, 13);
}

// Blocks the thread that starts the runtime.
class slow_to_attach final : public idle_driver {
 public:
  slow_to_attach(std::atomic<bool>& begun, std::atomic<bool>& may_end) : m_begun(begun), m_may_end(may_end) {}
  void attach(worker& /*to*/) override {
    m_begun = true;
    while (!m_may_end) std::this_thread::yield();
  }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override { m_sleep.wait(deadline); }
  void interrupt() noexcept override { m_sleep.interrupt(); }

 private:
  std::atomic<bool>& m_begun;
  std::atomic<bool>& m_may_end;
  futex_idle_driver<> m_sleep;
};

// A thread that waits starts the runtime, and another one forks meanwhile.
TEST(Fork, WhileTheProcessRuntimeIsStarted_LeavesTheChildFreeToMakeOne) {
  const watchdog limit("fork while scheduler_init()'s runtime starts");
  std::atomic<bool> begun{false};
  std::atomic<bool> may_end{false};
  idle_drivers_by drivers([&] { return std::make_unique<slow_to_attach>(begun, may_end); });
  options chosen = with_workers(1);
  chosen.drivers = &drivers;
  scheduler_init(chosen);
  counter done(1);
  auto task = spawn([&] { done.decrement(); });
  std::thread waits([&] { wait_for_counter(done); });
  while (!begun) std::this_thread::yield();
  const int status = status_of_forked([] {
    scheduler_init(1);
    int result = 0;
    spawn([&] { result = spawn([] { return 13; }).join(); }).detach();
    scheduler_run();
    return result;
  });
  may_end = true;
  waits.join();
  task.join();
  scheduler_run();
  EXPECT_EQ(status, 13);
}

// The parent's workers may be changing the profile at that moment.
TEST(Fork, WithAProfile_TheChildLeavesItAlone) {
  const watchdog limit("fork with a profile");
  const std::string page = ::testing::TempDir() + "fork-profile-" + std::to_string(::getpid()) + ".html";
  options profiled = with_workers(2);
  profiled.profile = page;
  auto home = std::make_unique<runtime>(profiled);
  home->start();
  std::atomic<bool> over{false};
  auto busy = home->spawn([&] {
    while (!over) spawn([] { yield(); }).join();
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      home.reset();
      ::_exit(7);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  over = true;
  busy.join();
  home->stop();
  EXPECT_EQ(::unlink(page.c_str()), 0);
}

TEST(Fork, BeforeTheRun_TheChildHasRuntimesOfItsOwn) {
  run([] {});  // this process has been prepared
  const outcome child = in_child([] { return run([] { return yield(), 21; }); });
  EXPECT_TRUE(child.exited_with(21)) << child.status << child.text;
}

}  // namespace
}  // namespace ramie
