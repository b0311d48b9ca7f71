// How a run knows that it is over, step by step in one thread; its races are the model checker's and the storm's
// business.
#include <ramie/scheduler/termination.hpp>

#include <support/narrow_provider.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ramie {
namespace {

using test::narrow_provider;

class Termination : public ::testing::Test {
 protected:
  struct totals {
    detail::basic_owned_count<narrow_provider> spawned, done;
  };
  void finish_if_drained() {
    ending.finish_if_drained(workers, [this] { ++woken; });
  }
  detail::termination<narrow_provider> ending;
  std::array<totals, 2> workers;
  int woken = 0;
};

TEST_F(Termination, ADrainingRunWithoutFibers_IsOverAtOnce) {
  ending.begin(true);
  EXPECT_FALSE(ending.finished());
  finish_if_drained();
  EXPECT_TRUE(ending.finished());
  EXPECT_EQ(woken, 1);
  finish_if_drained();
  EXPECT_EQ(woken, 1);  // only once
  ending.begin(false);
  EXPECT_FALSE(ending.finished());
}

TEST_F(Termination, ARunThatDoesNotDrain_GoesOnWithoutFibers) {
  ending.begin(false);
  finish_if_drained();
  EXPECT_FALSE(ending.finished());
  ending.drain([this] { ++woken; });
  EXPECT_EQ(woken, 1);  // sleepers are to look
  EXPECT_FALSE(ending.finished());
  finish_if_drained();
  EXPECT_TRUE(ending.finished());
  EXPECT_EQ(woken, 2);
}

TEST_F(Termination, AFiberCountsAsLeft_WhereverItWasSpawnedAndEnded) {
  ending.begin(true);
  EXPECT_EQ(ending.count_spawned_outside(), 0U);
  EXPECT_EQ(ending.count_spawned_outside(), 1U);
  EXPECT_EQ(ending.spawned_outside(), 2U);
  workers[0].spawned.add();
  for (int left = 3; left > 0; --left) {
    EXPECT_FALSE(ending.no_fiber_left(workers));
    finish_if_drained();
    EXPECT_FALSE(ending.finished());
    workers[1].done.add_release();
  }
  EXPECT_TRUE(ending.no_fiber_left(workers));
  finish_if_drained();
  EXPECT_TRUE(ending.finished());
}

}  // namespace
}  // namespace ramie
