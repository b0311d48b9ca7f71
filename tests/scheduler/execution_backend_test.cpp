// The seam for running fibers on something else than pooled stacks.
#include <support/fibers.hpp>
#include <support/thread_backend.hpp>
#include <support/watchdog.hpp>

#include <ramie/context/thread_slot.hpp>
#include <ramie/stack/alternate_stack.hpp>

#include <gtest/gtest.h>

#include <cfenv>
#include <csignal>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

TEST(ExecutionBackend, EachFiberOnAThreadOfItsOwn_RunsTheSameProgram) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const watchdog limit("thread backend, workers " + std::to_string(workers));
    test::thread_backend backend;
    options chosen = with_workers(workers);
    chosen.backend = &backend;
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
}

class BackendThread : public ::testing::TestWithParam<unsigned> {
 protected:
  test::thread_backend backend;
  options chosen = [this] {
    options made = with_workers(GetParam());
    made.backend = &backend;
    return made;
  }();
};
INSTANTIATE_TEST_SUITE_P(Workers, BackendThread, ::testing::Values(1U, 2U, 4U));

// As everywhere: a task that is spawned by a fiber which rounds up does not round up.
TEST_P(BackendThread, BeginsWithTheRoundingModeOfTheRuntimesMaker) {
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
    }).detach();
    home.run();
  }
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
}

TEST_P(BackendThread, HasAnAlternateSignalStack) {
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

TEST_P(BackendThread, HasAStackOfTheSizeThatItsTaskAsksFor) {
  static constexpr std::size_t large = std::size_t{32} << 20U;
  run(chosen, [] {
    spawn(spawn_options{.stack_size = bytes(large)}, [] {
      EXPECT_GT(stack_size_here(), large / 2);
      EXPECT_LE(stack_size_here(), large);
    }).join();
    EXPECT_LE(stack_size_here(), large / 4);
  });
}

}  // namespace
}  // namespace ramie
