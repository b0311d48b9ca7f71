// Tests of the ring with one index word.
#include <ramie/queue/exchange.hpp>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <utility>

namespace ramie::queue {
namespace {

std::function<void()> g_moved;  // called where a compare_exchange has succeeded, once

// Stops a thief between moving the index and reading its cell.
struct stopping_provider : std_provider {
  template <class T>
  struct atomic : std::atomic<T> {
    using std::atomic<T>::atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
      const bool moved = std::atomic<T>::compare_exchange_strong(expected, desired, success, failure);
      if (moved && g_moved) std::exchange(g_moved, nullptr)();
      return moved;
    }
  };
};

// The owner comes round to a cell that a thief has claimed and not yet read.
TEST(Exchange, ClaimedAndUnread_ACellIsNotOverwritten) {
  exchange<int, stopping_provider> queue(2);
  ASSERT_TRUE(queue.push_bottom(1));
  ASSERT_TRUE(queue.push_bottom(2));
  g_moved = [&] {
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_FALSE(queue.push_bottom(3));
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_EQ(queue.pop_bottom(), 2);
    EXPECT_TRUE(queue.push_bottom(4));  // its own cell it may use
    EXPECT_FALSE(queue.push_bottom(5));
  };
  EXPECT_EQ(queue.pop_top().item, 1);
  EXPECT_FALSE(g_moved);
  EXPECT_TRUE(queue.push_bottom(6));  // the thief is through
  EXPECT_EQ(queue.pop_top().item, 4);
  EXPECT_EQ(queue.pop_top().item, 6);
}

TEST(Exchange, ABatchClaimedAndUnread_IsNotOverwritten_AndOthersGoOn) {
  exchange<int, stopping_provider> queue(4);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push_bottom(i));
  g_moved = [&] {
    EXPECT_FALSE(queue.push_bottom(4));
    EXPECT_EQ(queue.pop_top().item, 2);
    EXPECT_EQ(queue.pop_bottom(), 3);
    EXPECT_TRUE(queue.push_bottom(5));
    EXPECT_FALSE(queue.push_bottom(6));
  };
  std::array<int, 4> out{};
  EXPECT_EQ(queue.pop_top_batch(out).count, 2U);
  EXPECT_EQ(out, (std::array<int, 4>{0, 1, 0, 0}));
  EXPECT_EQ(queue.pop_bottom(), 5);
}

// The index word is the same as when the thief looked at it, all items are others: it takes one that is there.
TEST(Exchange, AnIndexThatCameBack_IsAsGoodAsNew) {
  exchange<int> queue(2);
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(queue.push_bottom(round));
    ASSERT_TRUE(queue.push_bottom(round + 1));
    ASSERT_EQ(queue.pop_top().item, round);
    ASSERT_EQ(queue.pop_top().item, round + 1);
    ASSERT_EQ(queue.pop_bottom(), std::nullopt);
  }
}

TEST(Exchange, Batch_TakesHalf_AcrossTheEndOfTheRing) {
  for (int offset = 0; offset < 8; ++offset) {
    exchange<int> queue(8);
    for (int i = 0; i < offset; ++i) {
      ASSERT_TRUE(queue.push_bottom(-1));
      ASSERT_EQ(queue.pop_top().item, -1);
    }
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(queue.push_bottom(i));
    std::array<int, 8> out{};
    ASSERT_EQ(queue.pop_top_batch(out).count, 4U);
    EXPECT_EQ(out, (std::array<int, 8>{0, 1, 2, 3, 0, 0, 0, 0}));
    for (int i = 6; i >= 4; --i) ASSERT_EQ(queue.pop_bottom(), i);
  }
}

TEST(Exchange, Capacity_IsRoundedUp_FromOne) {
  for (const auto& [asked, given] : {std::pair{0, 1}, {1, 1}, {2, 2}, {3, 4}, {1000, 1024}}) {
    exchange<int> queue(static_cast<std::size_t>(asked));
    int pushed = 0;
    while (queue.push_bottom(pushed)) ++pushed;
    EXPECT_EQ(pushed, given) << asked;
  }
}

TEST(EndsWord, HoldsTheLargestRing) {
  const std::uint64_t most = exchange<int>::max_capacity;
  const std::uint64_t mask = most - 1;
  ends_word ends(mask);  // begins at the last cell
  EXPECT_EQ(ends.count(), 0U);
  ends = ends_word(ends.bits() + most * ends_word::one_more);
  EXPECT_EQ(ends.count(), most);
  EXPECT_EQ(ends.top(), mask);
  EXPECT_EQ(ends.one_less_at_the_bottom().count(), mask);
  const ends_word after = ends.less_at_the_top(most / 2, mask);
  EXPECT_EQ(after.count(), most / 2);
  EXPECT_EQ(after.top(), most / 2 - 1);
  EXPECT_EQ(after.bottom() & mask, mask);  // thieves do not move it
}

}  // namespace
}  // namespace ramie::queue
