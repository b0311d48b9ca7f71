#include "framework/progress.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Progress, TimeLeft_IsThatOfTheStepsToCome) {
  EXPECT_EQ(bench::time_left_text(10, 50, 100), ", about 10 s left");
  EXPECT_EQ(bench::time_left_text(10, 25, 100), ", about 30 s left");
  EXPECT_EQ(bench::time_left_text(10, 99, 100), ", about 10 s left");
  EXPECT_EQ(bench::time_left_text(60, 50, 100), ", about 1 min left");
  EXPECT_EQ(bench::time_left_text(60, 25, 100), ", about 3 min left");
}

TEST(Progress, TimeLeft_IsNotGuessedFromAlmostNothing) {
  EXPECT_EQ(bench::time_left_text(2, 50, 100), "");
  EXPECT_EQ(bench::time_left_text(10, 1, 100), "");
  EXPECT_EQ(bench::time_left_text(10, 0, 0), "");
}

}  // namespace
