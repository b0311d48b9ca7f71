// What is particular to split: two parts, thieves that ask and help themselves.
#include "kinds.hpp"

#include <optional>

namespace ramie::queue::test {
namespace {

TEST(Split, AThief_AsksFirst_AndThenGetsHalfFromTheOwnersNextPush) {
  split<int> queue;
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(queue.push_bottom(i));
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  ASSERT_TRUE(queue.push_bottom(7));
  for (int i = 0; i < 4; ++i) {
    const auto stolen = queue.pop_top();
    ASSERT_EQ(stolen.status, steal_status::item);
    EXPECT_EQ(stolen.item, i);
  }
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);  // asks again
  EXPECT_EQ(queue.pop_bottom(), 7);
}

TEST(Split, AThief_OfAnOwnerThatDoesNothing_HelpsItselfToHalf_ThenToHalfOfTheRest) {
  split<int> queue;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(queue.push_bottom(i));
  int looks = 0;
  for (int next = 0; next < 8; ++looks) {
    ASSERT_LT(looks, 100);
    const auto stolen = queue.pop_top();
    if (stolen.status != steal_status::item) continue;
    ASSERT_EQ(stolen.item, next++);
  }
  EXPECT_EQ(queue.pop_top().status, steal_status::empty);
  EXPECT_EQ(queue.pop_bottom(), std::nullopt);
}

TEST(Split, ARequestThatFindsNothingToGive_IsAnsweredByTheNextPush) {
  split<int> queue;
  ASSERT_TRUE(queue.push_bottom(1));
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);  // asks
  EXPECT_EQ(queue.pop_bottom(), 1);
  ASSERT_TRUE(queue.push_bottom(2));
  EXPECT_EQ(queue.pop_top().item, 2);
  ASSERT_TRUE(queue.push_bottom(3));  // the thief has kept up
  EXPECT_EQ(queue.pop_top().item, 3);
}

TEST(Split, PopOldest_IsTheOwnersWayToTheOtherEnd) {
  split<int> queue;
  EXPECT_EQ(queue.pop_oldest(), std::nullopt);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(queue.push_bottom(i));
  EXPECT_EQ(queue.pop_oldest(), 0);
  EXPECT_EQ(queue.pop_bottom(), 4);
  EXPECT_EQ(queue.pop_oldest(), 1);
  EXPECT_EQ(queue.pop_oldest(), 2);
  EXPECT_EQ(queue.pop_oldest(), 3);
  EXPECT_EQ(queue.pop_oldest(), std::nullopt);
  EXPECT_EQ(queue.pop_bottom(), std::nullopt);
}

TEST(Split, Unused_ItsFastPathsAreFalse) {
  split<int> queue(split<int>::unused_t{});
  int item = 7;
  EXPECT_FALSE(queue.push_quickly(1));
  EXPECT_FALSE(queue.pop_quickly(item));
  EXPECT_EQ(item, 7);
}

}  // namespace
}  // namespace ramie::queue::test
