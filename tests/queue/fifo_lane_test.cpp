// Tests of the bounded lane, and the choice of a queue at run time.
#include <ramie/queue/fifo_lane.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ramie::queue {
namespace {

TEST(FifoLane, Full_RefusesAndKeepsWhatItHas) {
  fifo_lane<int, 4> lane;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(lane.push_bottom(i));
  EXPECT_FALSE(lane.push_bottom(99));
  EXPECT_FALSE(lane.push_bottom(99));
  EXPECT_EQ(lane.size(), 4U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(lane.pop_bottom(), i);
  EXPECT_EQ(lane.pop_bottom(), std::nullopt);
}

TEST(FifoLane, Full_TakesAgainAfterEitherEndTook) {
  fifo_lane<int, 4> lane;
  int next = 0;
  for (; next < 4; ++next) ASSERT_TRUE(lane.push_bottom(next));
  for (int oldest = 0; oldest < 100; ++oldest) {
    if (oldest % 2 == 0) {
      ASSERT_EQ(lane.pop_bottom(), oldest);
    } else {
      ASSERT_EQ(lane.pop_top().item, oldest);
    }
    ASSERT_TRUE(lane.push_bottom(next++));
    ASSERT_FALSE(lane.push_bottom(-1));
  }
}

TEST(FifoLane, Batch_OfAFullLane_TakesHalf) {
  fifo_lane<int, 8> lane;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(lane.push_bottom(i));
  std::array<int, 64> out{};
  EXPECT_EQ(lane.pop_top_batch(out).count, 4U);
  EXPECT_EQ(out[3], 3);
  EXPECT_EQ(lane.pop_bottom(), 4);
}

}  // namespace
}  // namespace ramie::queue
