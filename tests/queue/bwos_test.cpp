// Tests of the block-based queues: what is granted when, where room comes from, and a FIFO queue that is
// full and empty at once.
#include "published_bwos_fifo.hpp"

#include <ramie/queue/bwos_fifo.hpp>
#include <ramie/queue/bwos_lifo.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ramie::queue::test {
namespace {

static_assert(work_queue<bwos_lifo<int*>> && work_queue<bwos_lifo<std::uint64_t>>);
static_assert(work_queue<bwos_fifo<int*>> && work_queue<bwos_fifo<std::uint64_t>>);

template <class Queue>
void push_range(Queue& queue, int from, int to) {
  for (; from < to; ++from) ASSERT_TRUE(queue.push_bottom(from)) << from;
}

template <class Queue>
std::vector<int> pop_all(Queue& queue) {
  std::vector<int> all;
  while (const auto got = queue.pop_bottom()) all.push_back(*got);
  return all;
}

// Until thieves get nothing more.
template <class Queue>
std::vector<int> steal_all(Queue& queue) {
  std::vector<int> all;
  for (auto got = queue.pop_top(); got.status == steal_status::item; got = queue.pop_top()) all.push_back(got.item);
  return all;
}

using items = std::vector<int>;

TEST(Bwos, AShapeThatMakesNoQueue_IsRefused) {
  for (const block_shape& wrong : {block_shape{1, 8}, block_shape{0, 8}, block_shape{2, 0}, block_shape{2, 4096}}) {
    EXPECT_THROW(bwos_lifo<int>{wrong}, std::invalid_argument);
    EXPECT_THROW(bwos_fifo<int>{wrong}, std::invalid_argument);
  }
}

TEST(Bwos, TheLargestBlock_HoldsItsEntries) {
  bwos_lifo<int> lifo(block_shape{2, 4095, grant::early});
  bwos_fifo<int> fifo(block_shape{2, 4095, grant::early});
  push_range(lifo, 0, 8190);
  push_range(fifo, 0, 8190);
  EXPECT_FALSE(lifo.push_bottom(8190));
  EXPECT_FALSE(fifo.push_bottom(8190));
  EXPECT_EQ(lifo.pop_top().item, 0);
  EXPECT_EQ(fifo.pop_top().item, 4095);
  EXPECT_EQ(lifo.size(), 8189U);
  EXPECT_EQ(fifo.size(), 8189U);
  EXPECT_EQ(pop_all(lifo).size(), 8189U);
  EXPECT_EQ(pop_all(fifo).size(), 8189U);
}

TEST(BwosLifo, Faithful_ThievesGetFullBlocksThatTheOwnerHasLeft) {
  bwos_lifo<int> queue(block_shape{3, 4, grant::faithful});
  push_range(queue, 0, 4);
  EXPECT_FALSE(queue.stealable());
  EXPECT_EQ(queue.pop_top().status, steal_status::empty);
  EXPECT_EQ(queue.size(), 4U);
  push_range(queue, 4, 6);
  EXPECT_TRUE(queue.stealable());
  EXPECT_EQ(steal_all(queue), (items{0, 1, 2, 3}));
  EXPECT_FALSE(queue.stealable());
  EXPECT_EQ(pop_all(queue), (items{5, 4}));
}

TEST(BwosLifo, Early_AThiefThatAsks_GetsTheOlderHalf) {
  bwos_lifo<int> queue(block_shape{3, 8, grant::early});
  push_range(queue, 0, 6);
  EXPECT_TRUE(queue.stealable());
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  EXPECT_FALSE(queue.stealable());  // asked already: thieves may sleep until the push that answers
  EXPECT_EQ(queue.pop_bottom(), 5);
  EXPECT_TRUE(queue.stealable());
  EXPECT_EQ(steal_all(queue), (items{0, 1, 2}));
  push_range(queue, 6, 7);  // asked again: 3, 4 and 6 are there
  EXPECT_EQ(steal_all(queue), (items{3, 4}));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(pop_all(queue), (items{6}));
}

TEST(BwosLifo, Early_AThiefThatAskedAnEmptyOwner_GetsTheNextItem) {
  bwos_lifo<int> queue(block_shape{2, 4, grant::early});
  push_range(queue, 0, 1);
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  EXPECT_EQ(queue.pop_bottom(), 0);
  EXPECT_EQ(queue.pop_top().status, steal_status::empty);
  push_range(queue, 1, 2);
  EXPECT_EQ(queue.pop_top().item, 1);
  EXPECT_EQ(queue.pop_bottom(), std::nullopt);
}

TEST(BwosLifo, APushIntoAFullQueue_GrantsAllTheSame) {
  bwos_lifo<int> queue(block_shape{2, 2, grant::early});
  push_range(queue, 0, 4);
  EXPECT_EQ(steal_all(queue), (items{0, 1}));  // and asks
  EXPECT_TRUE(queue.push_bottom(4));           // leaves a block, and grants it
  EXPECT_EQ(steal_all(queue), (items{2, 3, 4}));
}

TEST(BwosLifo, APop_GoesBackOverBlocksThatThievesHaveUsedUp) {
  bwos_lifo<int> queue(block_shape{4, 2, grant::faithful});
  push_range(queue, 0, 7);  // 0 1 | 2 3 | 4 5 | 6
  EXPECT_EQ(queue.pop_top().item, 0);
  EXPECT_EQ(queue.pop_top().item, 1);
  EXPECT_EQ(queue.pop_top().item, 2);
  EXPECT_EQ(queue.pop_bottom(), 6);
  EXPECT_EQ(queue.pop_bottom(), 5);
  push_range(queue, 7, 8);
  EXPECT_EQ(pop_all(queue), (items{7, 4, 3}));
}

TEST(BwosLifo, BlocksThatThievesHaveEmptied_AreRoomAgain) {
  bwos_lifo<int> queue(block_shape{2, 1, grant::early});
  for (int i = 0; i < 100; i += 2) {
    push_range(queue, i, i + 1);
    ASSERT_EQ(queue.pop_top().status, steal_status::lost_race);
    push_range(queue, i + 1, i + 2);
    ASSERT_EQ(steal_all(queue), (items{i, i + 1}));
    ASSERT_EQ(queue.size(), 0U);
  }
}

TEST(BwosFifo, Faithful_WhatIsInTheFirstBlockIsTheOwners) {
  bwos_fifo<int> queue(block_shape{3, 4, grant::faithful});
  push_range(queue, 0, 4);
  EXPECT_FALSE(queue.stealable());
  EXPECT_EQ(queue.pop_top().status, steal_status::empty);
  EXPECT_EQ(queue.size(), 4U);
  push_range(queue, 4, 6);
  EXPECT_TRUE(queue.stealable());
  EXPECT_EQ(steal_all(queue), (items{4, 5}));
  EXPECT_EQ(pop_all(queue), (items{0, 1, 2, 3}));
}

TEST(BwosFifo, Early_AThiefThatAsks_GetsTheNewerHalf_AndWhatIsPutBehindIt) {
  bwos_fifo<int> queue(block_shape{2, 8, grant::early});
  push_range(queue, 0, 5);
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  EXPECT_EQ(queue.pop_bottom(), 0);
  EXPECT_EQ(queue.pop_top().item, 3);
  push_range(queue, 5, 6);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(steal_all(queue), (items{4, 5}));
  EXPECT_EQ(pop_all(queue), (items{1, 2}));
}

TEST(BwosFifo, Early_AThiefThatAsksAgain_GetsMoreOfTheSameBlock_InOrder) {
  bwos_fifo<int> queue(block_shape{2, 16, grant::early});
  push_range(queue, 0, 9);
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  EXPECT_EQ(queue.pop_bottom(), 0);
  EXPECT_EQ(steal_all(queue), (items{5, 6, 7, 8}));  // and asks
  EXPECT_EQ(queue.pop_bottom(), 1);                  // 2 3 4 are left, and the newer two of them granted
  EXPECT_EQ(queue.pop_top().item, 3);
  push_range(queue, 9, 11);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(queue.pop_top().item, 4);
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  push_range(queue, 11, 12);
  EXPECT_EQ(queue.pop_top().item, 9);  // what was put behind the hole
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(pop_all(queue), (items{2, 10, 11}));
}

TEST(BwosFifo, AnOwnerThatOnlyPushes_GetsTheRoomThatThievesHaveMade) {
  bwos_fifo<int> queue(block_shape{2, 2, grant::early});
  push_range(queue, 0, 2);
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  std::size_t stolen = 0;
  for (int i = 2; i < 200; ++i) {
    ASSERT_TRUE(queue.push_bottom(i)) << i;
    stolen += steal_all(queue).size();
  }
  EXPECT_EQ(queue.size(), 200 - stolen);
  EXPECT_GT(stolen, 190U);
}

TEST(BwosFifo, ADrainedQueue_HasRoomForEverything) {
  bwos_fifo<int> queue(block_shape{2, 4, grant::early});
  for (int pushed = 1; pushed <= 8; ++pushed) {
    push_range(queue, 0, pushed);
    ASSERT_EQ(pop_all(queue).size(), static_cast<std::size_t>(pushed));
    push_range(queue, 0, 8);
    ASSERT_FALSE(queue.push_bottom(8));
    ASSERT_EQ(pop_all(queue).size(), 8U);
  }
}

// ---- Figure 3.5 ----

// 16 items in 4 blocks of 4. The owner fills the queue, a thief reserves two entries of block 1; the owner takes block
// 0, fills it again, and takes all that is left.
TEST(BwosFifo, Figure35_AsPublished_TheQueueIsFullAndEmptyUntilTheThiefGoesOn) {
  published_bwos_fifo<int, 4, 4> queue;
  push_range(queue, 0, 16);
  const auto first = queue.begin_steal();
  const auto second = queue.begin_steal();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->block, 1U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.pop_bottom(), i);
  push_range(queue, 16, 20);
  EXPECT_EQ(pop_all(queue), (items{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(queue.push_bottom(20));
    ASSERT_EQ(queue.pop_bottom(), std::nullopt);
    ASSERT_EQ(queue.pop_top(), std::nullopt);
  }
  EXPECT_EQ(queue.finish_steal(*first), 4);
  EXPECT_FALSE(queue.push_bottom(20));
  EXPECT_EQ(queue.finish_steal(*second), 5);
  EXPECT_TRUE(queue.push_bottom(20));
  EXPECT_EQ(queue.pop_bottom(), 20);
}

// A provider that holds up a thread which is about to compare and exchange, while something else is done.
struct stalling_provider : std_provider {
  static inline std::function<void()> meanwhile;

  template <class T>
  struct atomic : std::atomic<T> {
    using std::atomic<T>::atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
      if (const auto stalled = std::exchange(meanwhile, nullptr)) stalled();
      return std::atomic<T>::compare_exchange_strong(expected, desired, success, failure);
    }
  };
};

TEST(BwosFifo, Figure35_AStalledThiefKeepsNobodyFromPushing) {
  bwos_fifo<int, stalling_provider> queue(block_shape{4, 4, grant::faithful});
  push_range(queue, 0, 16);
  bool came = false;
  stalling_provider::meanwhile = [&] {
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.pop_bottom(), i);
    push_range(queue, 16, 20);
    ASSERT_EQ(pop_all(queue), (items{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
    ASSERT_TRUE(queue.push_bottom(20));  // at once
    push_range(queue, 21, 36);           // and into the entries that the thief has read
    ASSERT_EQ(queue.size(), 16U);
    came = true;
  };
  std::array<int, 2> out{};
  const batch_result got = queue.pop_top_batch(out);
  ASSERT_TRUE(came);
  EXPECT_EQ(got.status, steal_status::lost_race);
  items expected;
  for (int i = 20; i < 36; ++i) expected.push_back(i);
  EXPECT_EQ(pop_all(queue), expected);
}

// The same in one block, of which nothing but the version tells one use from the next.
template <class Queue>
void stalled_thief_is_told_by_the_version() {
  Queue queue(block_shape{2, 1, grant::faithful});
  push_range(queue, 0, 2);
  stalling_provider::meanwhile = [&] {
    ASSERT_EQ(pop_all(queue).size(), 2U);
    push_range(queue, 2, 4);
  };
  EXPECT_EQ(queue.pop_top().status, steal_status::lost_race);
  EXPECT_EQ(pop_all(queue).size(), 2U);
}

TEST(BwosLifo, AThiefStalledWhileItsBlockIsUsedAgain_LosesTheRace) {
  stalled_thief_is_told_by_the_version<bwos_lifo<int, stalling_provider>>();
}

TEST(BwosFifo, AThiefStalledWhileItsBlockIsUsedAgain_LosesTheRace) {
  stalled_thief_is_told_by_the_version<bwos_fifo<int, stalling_provider>>();
}

}  // namespace
}  // namespace ramie::queue::test
