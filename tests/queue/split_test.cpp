// Tests of split: two parts, thieves that ask and help themselves, indices that wrap.
#include "kinds.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace ramie::queue::test {
namespace {

constexpr std::int64_t wraps_at = std::int64_t{1} << 42;

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

// The thieves' word has 42 bits of the index of the oldest item.
TEST(Split, IndicesThatWrap_ChangeNothing) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    split<int> queue(2, wraps_at - static_cast<std::int64_t>(random() % 40));
    std::deque<int> model;
    for (int step = 0; step < 500; ++step) {
      switch (random() % 4) {
        case 0:
        case 1:
          ASSERT_TRUE(queue.push_bottom(step));
          model.push_back(step);
          break;
        case 2: {
          const auto popped = queue.pop_bottom();
          ASSERT_EQ(popped.has_value(), !model.empty());
          if (!popped) break;
          ASSERT_EQ(*popped, model.back());
          model.pop_back();
          break;
        }
        default: {
          const auto stolen = steal(queue);
          ASSERT_EQ(stolen.status, model.empty() ? steal_status::empty : steal_status::item);
          if (model.empty()) break;
          ASSERT_EQ(stolen.item, model.front());
          model.pop_front();
        }
      }
      ASSERT_EQ(queue.size(), model.size());
    }
  }
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
