#include "fiber.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdlib>
#include <exception>
#include <immintrin.h>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace ramie::context;
using test::fiber;
using test::host;

// Resumes `one` on a kernel thread of its own.
void resume_elsewhere(fiber& one) {
  std::thread([&] {
    host elsewhere;
    one.resume(elsewhere);
    EXPECT_FALSE(elsewhere.exceptions.active()) << "the fiber took its exceptions along when it left";
  }).join();
}

// The text of std::current_exception, or "none".
std::string handled() {
  const std::exception_ptr current = std::current_exception();
  if (!current) return "none";
  try {
    std::rethrow_exception(current);
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(SwitchExecution, CaughtExceptionStaysWithItsFiber) {
  host main;
  std::string seen;
  fiber one([&](fiber& self, void*) -> void* {
    try {
      throw std::runtime_error("one");
    } catch (...) {
      self.suspend();
      seen = handled();
    }
    return nullptr;
  });
  one.resume(main);
  EXPECT_EQ(handled(), "none");
  try {
    throw std::logic_error("main");
  } catch (...) {
    one.resume(main);
    EXPECT_EQ(handled(), "main");
  }
  EXPECT_EQ(seen, "one");
  EXPECT_TRUE(one.done());
  EXPECT_FALSE(main.exceptions.active());
}

TEST(SwitchExecution, RethrowsItsOwnExceptionOnAnotherThread) {
  host main;
  std::string seen;
  fiber one([&](fiber& self, void*) -> void* {
    try {
      try {
        throw std::runtime_error("inner");
      } catch (...) {
        self.suspend();
        throw;  // on another kernel thread than the one that caught it
      }
    } catch (const std::exception& error) {
      self.suspend();
      seen = error.what();
    }
    return nullptr;
  });
  one.resume(main);
  resume_elsewhere(one);
  resume_elsewhere(one);
  EXPECT_TRUE(one.done());
  EXPECT_EQ(seen, "inner");
}

TEST(SwitchExecution, NestedHandlersOfTwoFibersDoNotMix) {
  host main;
  std::string seen[2];
  const auto body = [&](int number) {
    return [&seen, number](fiber& self, void*) -> void* {
      const std::string name = "fiber " + std::to_string(number);
      try {
        throw std::runtime_error(name);
      } catch (...) {
        self.suspend();
        try {
          throw std::logic_error(name + " nested");
        } catch (...) {
          self.suspend();
          seen[number] = handled();
        }
        self.suspend();
        seen[number] += ", " + handled();
      }
      return nullptr;
    };
  };
  fiber zero(body(0));
  fiber one(body(1));
  // Interleaved so that a stack of exceptions that belonged to the thread would be popped in the wrong order.
  for (fiber* next : {&zero, &one, &zero, &one, &zero, &one}) next->resume(main);
  resume_elsewhere(one);
  zero.resume(main);
  EXPECT_TRUE(zero.done() && one.done());
  EXPECT_EQ(seen[0], "fiber 0 nested, fiber 0");
  EXPECT_EQ(seen[1], "fiber 1 nested, fiber 1");
  EXPECT_FALSE(main.exceptions.active());
}

TEST(SwitchExecution, UncaughtExceptionsAreCountedForTheFiberThatUnwinds) {
  host main;
  int before = -1;
  int after = -1;
  struct suspends_when_destroyed {
    fiber& self;
    int& before;
    int& after;
    ~suspends_when_destroyed() {
      before = std::uncaught_exceptions();
      self.suspend();
      after = std::uncaught_exceptions();
    }
  };
  fiber one([&](fiber& self, void*) -> void* {
    try {
      const suspends_when_destroyed guard{self, before, after};
      throw std::runtime_error("unwinding");
    } catch (const std::runtime_error&) {
      return self.suspend(reinterpret_cast<void*>(std::uncaught_exceptions() + 1L));
    }
  });
  one.resume(main);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  EXPECT_EQ(before, 1);
  resume_elsewhere(one);
  EXPECT_EQ(after, 1);
  one.resume(main);
  EXPECT_TRUE(one.done());
}

TEST(SwitchExecution, ExceptionThrownAfterASwitchIsCaughtInTheFiber) {
  host main;
  fiber one([](fiber& self, void*) -> void* {
    long caught = 0;
    for (int i = 0; i < 100; ++i) {
      try {
        self.suspend();
        throw i;
      } catch (int value) {
        caught += value;
      }
    }
    return reinterpret_cast<void*>(caught);
  });
  void* last = nullptr;
  while (!one.done()) last = one.resume(main);
  EXPECT_EQ(reinterpret_cast<long>(last), 4950);
}

using SwitchExecutionDeathTest = testing::Test;

TEST(SwitchExecutionDeathTest, UncaughtExceptionReachesTerminate) {
  EXPECT_EXIT(
      {
        std::set_terminate([] { std::_Exit(handled() == "nobody catches this" ? 42 : 43); });
        host main;
        fiber one([](fiber& self, void*) -> void* {
          self.suspend();
          throw std::runtime_error("nobody catches this");
        });
        one.resume(main);
        one.resume(main);
      },
      testing::ExitedWithCode(42), "");
}

TEST(SwitchExecution, RoundingModeIsKeptByEachSide) {
  host main;
  fiber one([](fiber& self, void*) -> void* {
    const int at_start = std::fegetround();
    std::fesetround(FE_UPWARD);
    self.suspend();
    const bool kept = std::fegetround() == FE_UPWARD && (_mm_getcsr() & 0x6000U) == 0x4000U;
    std::fesetround(FE_TONEAREST);
    return reinterpret_cast<void*>(at_start == FE_TONEAREST && kept ? 1L : 0L);
  });
  std::fesetround(FE_DOWNWARD);  // a fiber begins with the defaults, not with its starter's mode
  one.resume(main);
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  EXPECT_EQ(_mm_getcsr() & 0x6000U, 0x2000U);
  EXPECT_EQ(one.resume(main), reinterpret_cast<void*>(1L));
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetenv(FE_DFL_ENV);
}

// A load of MXCSR would replace the flags by those the other side had when it was left.
TEST(SwitchExecution, ControlWordsAreNotLoadedWhereTheyAreTheSame) {
  host main;
  fiber one([](fiber& self, void*) -> void* {
    _mm_setcsr(_mm_getcsr() | 0x20U);  // inexact
    return self.suspend();
  });
  _mm_setcsr(_mm_getcsr() & ~0x3FU);
  one.resume(main);
  EXPECT_EQ(_mm_getcsr() & 0x3FU, 0x20U);
  _mm_setcsr(_mm_getcsr() & ~0x3FU);
  one.resume(main);
}

// Flags alone are no difference: the fiber starts with none, the thread has one, and it is still there in the fiber.
TEST(SwitchExecution, ExceptionFlagsAreNotControl) {
  host main;
  fiber one([](fiber&, void*) -> void* { return reinterpret_cast<void*>(long{_mm_getcsr() & 0x3FU}); });
  _mm_setcsr((_mm_getcsr() & ~0x3FU) | 0x04U);  // division by zero
  EXPECT_EQ(reinterpret_cast<long>(one.resume(main)), 0x04L);
  EXPECT_EQ(_mm_getcsr() & 0x3FU, 0x04U);
  _mm_setcsr(_mm_getcsr() & ~0x3FU);
}

TEST(SwitchExecution, UnmaskedExceptionsAreKeptByEachSide) {
  host main;
  fiber one([](fiber& self, void*) -> void* {
    ::feenableexcept(FE_DIVBYZERO);
    self.suspend();
    return reinterpret_cast<void*>(long{::fegetexcept()});
  });
  one.resume(main);
  EXPECT_EQ(::fegetexcept(), 0);
  EXPECT_EQ(one.resume(main), reinterpret_cast<void*>(long{FE_DIVBYZERO}));
  EXPECT_EQ(::fegetexcept(), 0);
}

}  // namespace
