#include "framework/statistics.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Summary, MedianOfOddNumber_IsTheMiddle) {
  const auto s = bench::summarize({9, 1, 5});
  EXPECT_DOUBLE_EQ(s.median, 5);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 9);
  EXPECT_EQ(s.runs, 3U);
}

TEST(Summary, MedianOfEvenNumber_IsTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(bench::summarize({4, 1, 100, 2}).median, 3);
}

TEST(Summary, NoValues_IsAllZero) {
  const auto s = bench::summarize({});
  EXPECT_EQ(s.runs, 0U);
  EXPECT_DOUBLE_EQ(s.median, 0);
  EXPECT_DOUBLE_EQ(s.spread(), 0);
  EXPECT_FALSE(s.wide());
}

TEST(Summary, SpreadOverTwentyPercent_IsWide) {
  EXPECT_FALSE(bench::summarize({90, 100, 110}).wide());
  EXPECT_TRUE(bench::summarize({90, 100, 111}).wide());
  EXPECT_DOUBLE_EQ(bench::summarize({90, 100, 115}).spread(), 0.25);
}

}  // namespace
