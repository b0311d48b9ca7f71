// Exceptions and floating-point modes belong to the fiber, whatever runs between and wherever it goes on.
#include <support/eventually.hpp>
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::with_workers;

class Exceptions : public ::testing::TestWithParam<unsigned> {
 protected:
  // Runs `body(i)` in `count` fibers at once.
  template <class Body>
  void in_fibers(int count, Body body) {
    run(with_workers(GetParam()), [&] {
      std::vector<join_handle<void>> all;
      for (int i = 0; i < count; ++i) all.push_back(spawn([&body, i] { body(i); }));
      for (auto& each : all) each.join();
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Exceptions, ::testing::Values(1U, 2U, 4U));

void yield_some(int times) {
  for (int i = 0; i < times; ++i) yield();
}

// Fibers that move between two workers for certain: all begin on the same one, and give way to each other while the
// other worker has nothing to do but to take one of them.
class movers {
 public:
  template <class Body>
  void run(Body body) {
    ramie::run(with_workers(2), [&] {
      std::atomic<bool> held{false};
      std::atomic<int> begun{0};
      auto holder = spawn([&] {
        held = true;
        while (begun < fibers) std::this_thread::yield();
      });
      while (!held) std::this_thread::yield();  // no yield of the fiber's: the holder runs on the other worker
      std::vector<join_handle<void>> all;
      for (int i = 0; i < fibers; ++i) {
        all.push_back(spawn([&, i] {
          ++begun;
          body(i);
        }));
      }
      for (auto& each : all) each.join();
      holder.join();
    });
    EXPECT_GT(m_moved, 0) << "no fiber was moved";
  }

  // Yields until this fiber is on another worker than before. Gives up after a while, but not before some fiber was.
  void move_elsewhere() {
    const test::waiting_time left;
    const unsigned from = this_fiber::worker_index();
    for (int i = 0; this_fiber::worker_index() == from && (i < 20'000 || (m_moved == 0 && !left.over())); ++i) {
      // The other worker's thread may wait for this processor.
      if (m_moved == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      yield();
    }
    if (this_fiber::worker_index() != from) ++m_moved;
  }

 private:
  static constexpr int fibers = 8;
  std::atomic<int> m_moved{0};
};

TEST_P(Exceptions, ThrownAndCaughtAcrossYields) {
  in_fibers(50, [](int i) {
    for (int round = 0; round < 10; ++round) {
      try {
        yield_some(i % 4);
        throw i * 100 + round;
      } catch (int caught) {
        EXPECT_EQ(caught, i * 100 + round);
      }
    }
  });
}

TEST_P(Exceptions, AYieldInsideACatchBlock_LeavesTheExceptionWhereItIs) {
  in_fibers(50, [](int i) {
    try {
      throw std::runtime_error(std::to_string(i));
    } catch (const std::runtime_error& caught) {
      yield_some(5 + i % 7);
      EXPECT_EQ(caught.what(), std::to_string(i));
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
    EXPECT_EQ(std::current_exception(), nullptr);
  });
}

TEST_P(Exceptions, RethrowAfterAYield_RethrowsItsOwn) {
  in_fibers(50, [](int i) {
    try {
      try {
        throw i;
      } catch (...) {
        yield_some(1 + i % 9);
        throw;
      }
    } catch (int again) {
      EXPECT_EQ(again, i);
    }
  });
}

TEST_P(Exceptions, NestedOnes_EachInItsPlace) {
  in_fibers(30, [](int i) {
    try {
      throw "outer" + std::to_string(i);
    } catch (const std::string& outer) {
      yield_some(i % 3);
      try {
        yield_some(1);
        throw i;
      } catch (int inner) {
        yield_some(i % 5);
        EXPECT_EQ(inner, i);
        try {
          throw;
        } catch (int same) {
          EXPECT_EQ(same, i);
          yield_some(2);
        }
      }
      yield_some(1);
      EXPECT_EQ(outer, "outer" + std::to_string(i));
      EXPECT_THROW(throw, std::string);
    }
  });
}

TEST_P(Exceptions, UncaughtCount_IsKeptPerFiber) {
  struct during_unwinding {
    int expected;
    ~during_unwinding() {
      EXPECT_EQ(std::uncaught_exceptions(), expected);
      yield_some(5);
      EXPECT_EQ(std::uncaught_exceptions(), expected);
      try {
        throw 1;
      } catch (int) {
        yield_some(3);
      }
      EXPECT_EQ(std::uncaught_exceptions(), expected);
    }
  };
  in_fibers(40, [](int i) {
    if (i % 2 == 0) {
      for (int j = 0; j < 20; ++j) {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        yield();
      }
      return;
    }
    try {
      const during_unwinding here{1};
      throw i;
    } catch (int caught) {
      EXPECT_EQ(caught, i);
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
}

TEST_P(Exceptions, WaitingInsideACatchBlock) {
  in_fibers(20, [](int i) {
    try {
      throw i;
    } catch (int caught) {
      auto child = spawn([i]() -> int {
        EXPECT_EQ(std::current_exception(), nullptr);
        yield();
        throw std::to_string(i);
      });
      try {
        child.join();
        ADD_FAILURE() << "the child throws";
      } catch (const std::string& said) {
        EXPECT_EQ(said, std::to_string(i));
      }
      EXPECT_EQ(caught, i);
      EXPECT_THROW(throw, int);
    }
  });
}

// The same with proof that the fiber went on on another kernel thread.
TEST(ExceptionsMigrate, RethrowOnAnotherWorker) {
  movers all;
  all.run([&](int i) {
    for (int round = 0; round < 5; ++round) {
      try {
        try {
          throw i;
        } catch (...) {
          all.move_elsewhere();
          throw;
        }
      } catch (int same) {
        EXPECT_EQ(same, i);
      }
    }
  });
}

// ---- The rounding mode, the other thing that the ABI says survives a call. ----

constexpr std::array modes = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

TEST_P(Exceptions, RoundingMode_IsKeptPerFiber) {
  in_fibers(40, [](int i) {
    const int mine = modes[static_cast<std::size_t>(i) % modes.size()];
    std::fesetround(mine);
    volatile double one = 1.0, three = 3.0;
    const double third = one / three;
    for (int j = 0; j < 50; ++j) {
      yield();
      ASSERT_EQ(std::fegetround(), mine);
      ASSERT_EQ(one / three, third);
    }
    std::fesetround(FE_TONEAREST);
  });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_P(Exceptions, RoundingMode_OfAFreshFiber_IsThatOfTheRuntimesMaker) {
  std::fesetround(FE_TOWARDZERO);
  runtime home(with_workers(GetParam()));
  std::fesetround(FE_TONEAREST);
  for (int i = 0; i < 10; ++i) home.spawn([] { EXPECT_EQ(std::fegetround(), FE_TOWARDZERO); }).detach();
  home.run();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

// One stack serves fiber after fiber; a mode that one leaves behind is not the next one's.
TEST_P(Exceptions, RoundingMode_IsNotInheritedFromAFiberThatEnded) {
  in_fibers(100, [](int i) {
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    if (i % 2 == 0) yield();
    std::fesetround(FE_UPWARD);
  });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(RoundingMode, MovesWithTheFiberToAnotherWorker) {
  movers all;
  all.run([&](int i) {
    const int mine = modes[static_cast<std::size_t>(i) % modes.size()];
    std::fesetround(mine);
    for (int round = 0; round < 5; ++round) {
      all.move_elsewhere();
      EXPECT_EQ(std::fegetround(), mine);
    }
    std::fesetround(FE_TONEAREST);
  });
}

}  // namespace
}  // namespace ramie
