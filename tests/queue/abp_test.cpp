// Tests of the deque of Arora, Blumofe and Plaxton.
#include <ramie/queue/abp.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace ramie::queue {
namespace {

// Thieves make room at the top that the owner cannot use: with one item left of eight, there is room for none.
TEST(Abp, RoomThatThievesMake_IsLostUntilTheOwnerEmptiesIt) {
  abp<int> queue(8);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(queue.push_bottom(i));
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(queue.pop_top().item, i);
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(7 - i));
    EXPECT_FALSE(queue.push_bottom(100)) << i + 1 << " stolen";
  }
  EXPECT_EQ(queue.pop_bottom(), 7);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(queue.push_bottom(i)) << i;
  EXPECT_FALSE(queue.push_bottom(8));
}

// The figure: of a capacity of eight, what can be pushed shrinks with every steal, and comes back as a whole.
TEST(Abp, Capacity_ShrinksWithEverySteal) {
  for (int stolen = 0; stolen <= 5; ++stolen) {
    abp<int> queue(8);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(queue.push_bottom(i));
    for (int i = 0; i < stolen; ++i) ASSERT_EQ(queue.pop_top().status, steal_status::item);
    int more = 0;
    while (queue.push_bottom(5 + more)) ++more;
    EXPECT_EQ(more, 3);
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(8 - stolen));
  }
}

// All of it was stolen: the owner's pop finds nothing, and that is what gives the room back.
TEST(Abp, EmptiedByThieves_IsResetByTheOwnersNextPop) {
  abp<int> queue(4);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push_bottom(i));
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.pop_top().item, i);
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_FALSE(queue.push_bottom(4));
    EXPECT_EQ(queue.pop_bottom(), std::nullopt);
  }
}

// The owner can push again as many as it pops: only the top does not come back.
TEST(Abp, RoomThatTheOwnerMakes_IsUsedAtOnce) {
  abp<int> queue(2);
  ASSERT_TRUE(queue.push_bottom(0));
  for (int round = 1; round < 100; ++round) {
    ASSERT_TRUE(queue.push_bottom(round));
    ASSERT_FALSE(queue.push_bottom(round));
    ASSERT_EQ(queue.pop_bottom(), round);
  }
}

TEST(Abp, Capacity_IsRoundedUp_FromOne) {
  for (const auto& [asked, given] : {std::pair{0, 1}, {1, 1}, {2, 2}, {3, 4}, {1000, 1024}}) {
    abp<int> queue(static_cast<std::size_t>(asked));
    int pushed = 0;
    while (queue.push_bottom(pushed)) ++pushed;
    EXPECT_EQ(pushed, given) << asked;
  }
}

TEST(AgeWord, TopAndTag_KeepOutOfEachOthersWay) {
  using word = age_word<40>;
  word age(0);
  for (int i = 0; i < 1000; ++i) age = age.taken();
  EXPECT_EQ(age.top(), 1000U);
  const word reset = age.reset();
  EXPECT_EQ(reset.top(), 0U);
  EXPECT_NE(reset.bits(), word(0).bits());
  EXPECT_NE(reset.bits(), reset.reset().bits());
  const word last(~std::uint64_t{0});
  EXPECT_EQ(last.reset().bits(), 0U);  // the tag comes round
  EXPECT_EQ(word(abp<int>::max_capacity).top(), abp<int>::max_capacity);
}

}  // namespace
}  // namespace ramie::queue
