// Rules of counters that a caller can break.
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace ramie {
namespace {

using test::with_workers;

TEST(CounterMisuse, ASpawnThatFails_TakesItsCountBack) {
  run([] {
    counter done;
    EXPECT_THROW(spawn_with_counter(done, spawn_options{.stack_size = bytes(std::size_t{1} << 50U)}, [] {}),
                 bad_option);
    EXPECT_EQ(done.value(), 0);
  });
  counter outside;
  EXPECT_THROW(spawn_with_counter(outside, [] {}), misuse);
  EXPECT_EQ(outside.value(), 0);
}

TEST(CounterDeathTest, BelowZero_EndsTheProcess) {
  EXPECT_DEATH(
      {
        counter count(1);
        count.decrement(2);
      },
      "decremented below zero.*Add to it before");
}

TEST(CounterDeathTest, DestroyedWhileWaitedFor_EndsTheProcess) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto doomed = std::make_unique<counter>(1);
                     auto waiter = spawn([&] { wait_for_counter(*doomed); });
                     for (int i = 0; i < 10; ++i) yield();
                     doomed.reset();
                     waiter.join();
                   }),
               "a counter was destroyed while fibers wait for it.*Let them finish first");
}

TEST(CounterDeathTest, SpawnWithCounter_ExceptionEndsTheProcessAndNamesTheFiber) {
  EXPECT_DEATH(run([] {
                 counter done;
                 spawn_with_counter(done, spawn_options{.name = "brittle"},
                                    [] { throw std::logic_error("in a child"); });
                 wait_for_counter(done);
               }),
               "\"brittle\" ended with an exception that nobody joins: std::logic_error: in a child");
}

}  // namespace
}  // namespace ramie
