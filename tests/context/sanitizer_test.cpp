// The sanitizers and Valgrind follow a switch. In a plain build these are tests of the switch; in a sanitizer's, of the
// annotations: a finding ends the program.
#include "fiber.hpp"

#include <ramie/base/provider.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#if RAMIE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace {

using namespace ramie::context;
using test::fewer_when_sanitized;
using test::fiber;
using test::host;

// Frames of a changing depth, with arrays that ASan surrounds and, if asked, puts on its fake stack.
[[gnu::noinline]] int uses_stack(fiber& self, int depth) {
  char buffer[64];
  std::memset(buffer, depth, sizeof buffer);
  asm volatile("" : : "r"(buffer) : "memory");
  self.suspend(buffer);
  const int below = depth == 0 ? 0 : uses_stack(self, depth - 1);
  return below + buffer[depth % 64];
}

TEST(Sanitizer, SwitchesAtAnyDepthAreClean) {
  constexpr int deepest = 40;
  host main;
  std::vector<std::unique_ptr<fiber>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(std::make_unique<fiber>(
        [](fiber& self, void*) -> void* { return reinterpret_cast<void*>(long{uses_stack(self, deepest)}); }));
  }
  void* last = nullptr;
  while (!all.back()->done()) {
    for (const auto& one : all) {
      last = one->resume(main);
      // A frame of a suspended fiber is live memory, also to the tools.
      if (!one->done()) static_cast<void>(*static_cast<volatile char*>(last));
    }
  }
  EXPECT_EQ(reinterpret_cast<long>(last), deepest * (deepest + 1) / 2);
}

#if RAMIE_ASAN
struct leaver {
  ramie::context::test::guarded_stack stack;
  execution self;
  host main;
};

[[gnu::noinline]] void leave_for_good(leaver& of, int depth) {
  char buffer[64];
  std::memset(buffer, depth, sizeof buffer);
  asm volatile("" : : "r"(buffer) : "memory");
  if (depth > 0) leave_for_good(of, depth - 1);
  if (depth == 0) switch_execution<leaving::for_good>(of.main.exceptions, of.self, of.main.self, nullptr);
  asm volatile("" : : "r"(buffer) : "memory");
}

// Frames that never return leave what ASan has put around their arrays, where the next fiber has its own.
TEST(Sanitizer, AStackThatWasLeftForGoodIsClean) {
  leaver of;
  void* const bottom = of.stack.bottom();
  const auto size = static_cast<std::size_t>(static_cast<char*>(of.stack.top()) - static_cast<char*>(bottom));
  make_context(
      of.self.machine, of.stack.top(),
      [](void*, void* argument) {
        auto& self = *static_cast<leaver*>(argument);
        self.self.tools.arrive();
        leave_for_good(self, 10);
      },
      &of);
  of.self.tools.attach_stack(bottom, of.stack.top());
  switch_execution(of.main.exceptions, of.main.self, of.self, nullptr);
  EXPECT_EQ(__asan_region_is_poisoned(bottom, size), nullptr);
  of.self.tools.detach_stack();
}
#endif

// A switch that TSan did not follow would make it see one thread's stack in two threads at once.
TEST(Sanitizer, SwitchesBetweenKernelThreadsAreClean) {
  const int rounds = fewer_when_sanitized(2000);
  int plain = 0;  // handed over with the fiber: not a race
  fiber one([&](fiber& self, void*) -> void* {
    for (;;) {
      ++plain;
      self.suspend();
    }
  });
  std::atomic<std::uint32_t> turn = 0;
  const auto play = [&](std::uint32_t me) {
    host here;
    for (int i = 0; i < rounds; ++i) {
      while (turn.load(std::memory_order_acquire) != me) ramie::std_provider::futex_wait(turn, 1 - me);
      one.resume(here);
      turn.store(1 - me, std::memory_order_release);
      ramie::std_provider::futex_wake(turn, 1);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(plain, 2 * rounds);
}

TEST(Sanitizer, ExceptionsInFibersAreClean) {
  host main;
  for (int i = 0; i < 10; ++i) {
    fiber one([](fiber& self, void*) -> void* {
      try {
        uses_stack(self, 3);
        throw 1;
      } catch (int) {
        self.suspend();
      }
      return nullptr;
    });
    while (!one.done()) one.resume(main);
  }
}

#if RAMIE_ASAN
using SanitizerDeathTest = testing::Test;

TEST(SanitizerDeathTest, AddressSanitizerSeesAnOverflowInAFiber) {
  const auto overflow = [] {
    host main;
    fiber one([](fiber& self, void*) -> void* {
      self.suspend();
      volatile std::size_t size = 64;
      char buffer[64];
      asm volatile("" : : "r"(buffer) : "memory");
      std::memset(buffer, 1, size + 1);
      return nullptr;
    });
    one.resume(main);
    one.resume(main);
  };
  EXPECT_DEATH(overflow(), "stack-buffer-overflow");
}

TEST(SanitizerDeathTest, AddressSanitizerSeesAUseAfterScopeInAFiber) {
  const auto use = [] {
    host main;
    fiber one([](fiber& self, void*) -> void* {
      volatile char* kept = nullptr;
      {
        volatile char gone[32] = {};
        kept = gone;
        self.suspend();
      }
      return reinterpret_cast<void*>(long{kept[3]});
    });
    one.resume(main);
    one.resume(main);
  };
  EXPECT_DEATH(use(), "stack-use-after-scope");
}
#endif

#if RAMIE_TSAN
using SanitizerDeathTest = testing::Test;

// Without the annotations' own synchronization nothing orders these two.
TEST(SanitizerDeathTest, ThreadSanitizerSeesARaceBetweenAFiberAndAThread) {
  // TSan looks at nothing in a forked child of a program that had threads; this style runs the program anew.
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto race = [] {
    int shared = 0;
    std::atomic<bool> written = false;
    fiber one([&](fiber&, void*) -> void* {
      shared = 1;
      written.store(true, std::memory_order_relaxed);
      return nullptr;
    });
    std::thread reader([&] {
      while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();
      ++shared;
    });
    host main;
    one.resume(main);
    reader.join();
    std::exit(0);  // where TSan makes another status of it, if it found something
  };
  EXPECT_DEATH(race(), "data race");
}
#endif

}  // namespace
