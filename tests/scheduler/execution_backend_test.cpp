// The seam for running fibers on something else than pooled stacks.
#include <stack/child.hpp>
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/thread_backend.hpp>
#include <support/watchdog.hpp>

#include <ramie/base/config.hpp>
#include <ramie/context/thread_slot.hpp>
#include <ramie/stack/alternate_stack.hpp>
#include <ramie/topology/affinity.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#if RAMIE_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace ramie {
namespace {

using namespace std::chrono_literals;
using stack::test::in_child;
using stack::test::outcome;
using test::watchdog;
using test::with_workers;

// Sees that no thread which is left says that it has a worker.
class watched_backend final : public test::thread_backend {
 public:
  std::atomic<int> switches{0};

  void* switch_to(context::execution& from, context::execution& to, void* message) override {
    ++switches;
    EXPECT_EQ(context::thread_slot(), nullptr);
    return thread_backend::switch_to(from, to, message);
  }
};

class ExecutionBackend : public ::testing::TestWithParam<unsigned> {
 protected:
  ~ExecutionBackend() override {
    EXPECT_EQ(backend.alive(), 0);
    EXPECT_EQ(backend.attached(), 0);
  }

  const watchdog limit{"execution backend, workers " + std::to_string(GetParam())};
  watched_backend backend;
  options chosen = [this] {
    options made = with_workers(GetParam());
    made.backend = &backend;
    return made;
  }();
};
INSTANTIATE_TEST_SUITE_P(Workers, ExecutionBackend, ::testing::Values(1U, 2U, 4U));

TEST_P(ExecutionBackend, EachFiberOnAThreadOfItsOwn_RunsTheSameProgram) {
  const int sum = run(chosen, [] {
    counter done;
    std::atomic<int> counted{0};
    for (int i = 0; i < 30; ++i) {
      spawn_with_counter(done, [&, i] {
        const auto thread = std::this_thread::get_id();
        for (int j = i % 4; j > 0; --j) {
          yield();
          EXPECT_EQ(std::this_thread::get_id(), thread);
        }
        ++counted;
      });
    }
    wait_for_counter(done);
    auto child = spawn([] {
      for (int i = 0; i < 10; ++i) yield();
      return 70;
    });
    auto fails = spawn([] { throw std::runtime_error("on a thread"); });
    EXPECT_THROW(fails.join(), std::runtime_error);
    return counted + child.join();
  });
  EXPECT_EQ(sum, 100);
  EXPECT_EQ(backend.created(), 33);
  EXPECT_EQ(backend.alive(), 0);
}

TEST_P(ExecutionBackend, StartedAndStopped_LeavesNoFiber) {
  runtime home(chosen);
  std::atomic<int> ran{0};
  for (int round = 1; round <= 20; ++round) {
    home.start();
    for (int i = 0; i < 5; ++i) {
      home.spawn([&] {
            auto child = spawn([&] { ++ran; });
            yield();
            child.join();
          })
          .detach();
    }
    home.stop();
    EXPECT_EQ(ran, 5 * round);
    EXPECT_EQ(backend.alive(), 0);
    EXPECT_EQ(backend.attached(), 0);
  }
}

long fib(int n) {
  if (n < 2) return n;
  const auto [one, two] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return one + two;
}

TEST_P(ExecutionBackend, ForksAndContinuations) {
  for (const fork_stealing leaves : {fork_stealing::child, fork_stealing::continuation}) {
    chosen.fork_stealing = leaves;
    EXPECT_EQ(run(chosen, [] { return fib(9); }), 34);
  }
}

TEST_P(ExecutionBackend, Jobs) {
  run(chosen, [] {
    std::atomic<int> ran{0};
    auto parent = job::create([&](job::context& here) {
      for (int i = 0; i < 20; ++i) {
        here.run_child([&] {
          if (ran % 3 == 0) yield();
          ++ran;
        });
      }
    });
    job::run(parent);
    job::wait(parent);
    EXPECT_EQ(ran, 20);
  });
}

TEST_P(ExecutionBackend, WaitsWithLimits) {
  run(chosen, [] {
    for (int i = 0; i < 5; ++i) {
      counter never(1);
      auto waits = spawn([&] { wait_for_counter(never); });
      EXPECT_EQ(waits.wait(1ms), wake_reason::timed_out);
      EXPECT_EQ(wait_for_counter(never, 0, 1ms), wake_reason::timed_out);
      EXPECT_EQ(sleep_for(1ms), wake_reason::timed_out);
      never.decrement();
      waits.join();
    }
  });
}

TEST_P(ExecutionBackend, RefusesWhatGetsNoThread) {
  test::scarce_backend few(3);
  chosen.backend = &few;
  run(chosen, [&] {
    for (int round = 0; round < 20; ++round) {
      counter gate(1);
      std::vector<join_handle<void>> all;
      for (int i = 0; i < 6; ++i) all.push_back(spawn([&] { wait_for_counter(gate); }));
      while (few.left > 0) yield();
      auto refused = spawn([] {});
      EXPECT_EQ(refused.wait(1h), wake_reason::woken);
      EXPECT_THROW(refused.join(), spawn_error);
      gate.decrement();
      int failed = 0;
      for (auto& each : all) {
        try {
          each.join();
        } catch (const spawn_error&) {
          ++failed;
        }
      }
      EXPECT_GE(failed, 1);
      few.left = 3;
    }
  });
  EXPECT_EQ(few.alive(), 0);
}

// ---- The threads of fibers ----

TEST_P(ExecutionBackend, AThreadHasItsWorkerInTheSlotWhileItCarriesOne) {
  static std::atomic<int> ended_without{0};
  static std::atomic<int> ended_with{0};
  struct says_at_its_end {
    ~says_at_its_end() { ++(worker::current() == nullptr ? ended_without : ended_with); }
  };
  ended_without = 0;
  ended_with = 0;
  run(chosen, [&] {
    std::vector<join_handle<void>> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(spawn([&] {
        static thread_local says_at_its_end of_thread;
        static_cast<void>(&of_thread);
        for (int j = 0; j < 10; ++j) {
          const worker* const here = worker::current();
          ASSERT_NE(here, nullptr);
          ASSERT_EQ(here->current_fiber()->current_task->id(), this_fiber::id());
          EXPECT_EQ(context::carrier_slot(), nullptr);
          yield();
        }
      }));
    }
    for (auto& each : all) each.join();
  });
  EXPECT_GT(backend.switches, 20);
  const auto all_ended = [] { return ended_without + ended_with == 20; };
  EXPECT_TRUE(test::eventually("the threads end", all_ended));
  EXPECT_EQ(ended_with, 0);
}

TEST_P(ExecutionBackend, AThreadHasTheNameOfItsTask) {
  run(chosen, [] {
    spawn(spawn_options{.name = "a name that is longer than those of threads"}, [] {
      std::array<char, 16> name{};
      ASSERT_EQ(::pthread_getname_np(::pthread_self(), name.data(), name.size()), 0);
      EXPECT_STREQ(name.data(), "a name that is ");
    }).join();
  });
}

TEST_P(ExecutionBackend, KeepsExceptionsInFlightAcrossSwitches) {
  run(chosen, [] {
    std::vector<join_handle<void>> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(spawn([i] {
        try {
          try {
            throw std::runtime_error(std::to_string(i));
          } catch (const std::runtime_error& caught) {
            for (int j = 0; j < 1 + i % 5; ++j) yield();
            EXPECT_EQ(caught.what(), std::to_string(i));
            EXPECT_EQ(std::uncaught_exceptions(), 0);
            spawn([] {
              EXPECT_EQ(std::current_exception(), nullptr);
              EXPECT_THROW(throw 1, int);
            }).join();
            throw;
          }
        } catch (const std::runtime_error& again) {
          yield();
          EXPECT_EQ(again.what(), std::to_string(i));
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      }));
    }
    for (auto& each : all) each.join();
  });
}

// As everywhere: a task that is spawned by a fiber which rounds up does not round up.
TEST_P(ExecutionBackend, BeginsWithTheRoundingModeOfTheRuntimesMaker) {
  ASSERT_EQ(std::fesetround(FE_DOWNWARD), 0);
  {
    runtime home(chosen);
    home.spawn([] {
          ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
          for (int i = 0; i < 10; ++i) {
            spawn([] {
              EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
              ASSERT_EQ(std::fesetround(FE_TOWARDZERO), 0);
              yield();
              EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
            }).join();
            EXPECT_EQ(std::fegetround(), FE_UPWARD);
          }
        })
        .detach();
    home.run();
  }
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
}

// A fiber's thread is started by the fiber that is left, which may have blocked signals.
TEST_P(ExecutionBackend, BeginsWithTheSignalMaskOfTheRun) {
  run(chosen, [] {
    for (int i = 0; i < 20; ++i) {
      sigset_t one;
      sigset_t before;
      sigemptyset(&one);
      sigaddset(&one, SIGUSR2);
      ::pthread_sigmask(SIG_BLOCK, &one, &before);
      const bool blocked = spawn([] {
                             sigset_t now;
                             ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
                             return sigismember(&now, SIGUSR2) == 1;
                           }).join();
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      EXPECT_FALSE(blocked);
    }
  });
}

TEST_P(ExecutionBackend, HasAnAlternateSignalStack) {
  run(chosen, [] {
    spawn([] {
      yield();
      stack_t there{};
      ASSERT_EQ(::sigaltstack(nullptr, &there), 0);
      EXPECT_EQ(there.ss_flags & SS_DISABLE, 0);
      EXPECT_GE(there.ss_size + stack::page_size, stack::alternate_stack::needed());
    }).join();
  });
}

std::size_t stack_size_here() {
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(::pthread_getattr_np(::pthread_self(), &attributes), 0);
  EXPECT_EQ(::pthread_attr_getstack(&attributes, &bottom, &size), 0);
  ::pthread_attr_destroy(&attributes);
  return size;
}

TEST_P(ExecutionBackend, HasAStackOfTheSizeThatItsTaskAsksFor) {
  static constexpr std::size_t large = std::size_t{32} << 20U;
  run(chosen, [] {
    spawn(spawn_options{.stack_size = bytes(large)}, [] {
      EXPECT_GT(stack_size_here(), large / 2);
      EXPECT_LE(stack_size_here(), large);
    }).join();
    EXPECT_LE(stack_size_here(), large / 4);
  });
}

// Where the worker is, which the fiber's thread carries now. All fibers begin on one worker, and give way to each other
// while the other has nothing to do but to take one of them.
TEST(PinnedExecutionBackend, AFiberThatHasChangedWorkersRunsWhereItsWorkerIs) {
  const watchdog limit("pinned execution backend");
  const std::vector<unsigned> cpus = topology::allowed_cpus();
  watched_backend backend;
  options chosen = with_workers(2);
  chosen.backend = &backend;
  chosen.pin = true;
  constexpr int fibers = 8;
  std::atomic<int> moved{0};
  run(chosen, [&] {
    std::atomic<bool> held{false};
    std::atomic<int> begun{0};
    auto holder = spawn([&] {
      held = true;
      while (begun < fibers) std::this_thread::yield();
    });
    while (!held) std::this_thread::yield();  // no yield of the fiber's: the holder runs on the other worker
    std::vector<join_handle<void>> all;
    for (int i = 0; i < fibers; ++i) {
      all.push_back(spawn([&] {
        ++begun;
        const unsigned first = this_fiber::worker_index();
        const test::waiting_time left;
        for (int j = 0; j < 20 || (moved == 0 && !left.over()); ++j) {
          const unsigned index = this_fiber::worker_index();
          if (index != first) ++moved;
          const std::vector<unsigned> here{cpus[index % cpus.size()]};
          EXPECT_EQ(topology::allowed_cpus(), here);
          yield();
        }
      }));
    }
    for (auto& each : all) each.join();
    holder.join();
  });
  EXPECT_GT(moved, 0) << "no fiber was moved";
}

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[500];
  frame[0] = static_cast<char>(depth);
  const int deeper = depth > 10'000'000 ? 0 : recurse(depth + 1);
  return deeper + frame[0];
}

TEST_P(ExecutionBackend, AnOverflowIsReportedWithTheFibersName) {
  const outcome child = in_child([this] {
    run(chosen, [] {
      auto deep = spawn(spawn_options{.name = "bottomless", .stack_size = bytes(8U << 20U)}, [] {
        yield();
        recurse(0);
      });
      deep.join();
    });
    return 0;
  });
  // A sanitizer's handler comes after ours, and ends the process in its own way.
  EXPECT_TRUE(test::sanitized ? !child.exited_with(0) : child.died_of(SIGSEGV)) << child.status << child.text;
  EXPECT_TRUE(child.says("\"bottomless\" overflowed its stack of 8 MiB")) << child.text;
}

// Of a runtime that exit() destroys, on the fiber's thread.
TEST_P(ExecutionBackend, AnExitEndsTheProcessWithItsStatus) {
  const outcome child = in_child([workers = GetParam()]() -> int {
    ::alarm(60);
#if RAMIE_ASAN
    __lsan_do_leak_check();  // now, and not at the end
#endif
    static auto* const never_destroyed = new test::thread_backend;  // exit() runs on one of its stacks
    options made = with_workers(workers);
    made.backend = never_destroyed;
    static runtime home(made);
    home.spawn([] {
          for (int i = 0; i < 10; ++i) yield();
          std::exit(9);
        })
        .detach();
    home.start();
    for (;;) ::pause();
    return 1;
  });
  EXPECT_TRUE(child.exited_with(9)) << child.status << child.text;
}

}  // namespace
}  // namespace ramie
