// Several items at once, from a victim's queues and from the injector.

#include <support/narrow_provider.hpp>

#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/fifo_lane.hpp>

#include "scheduler/batches.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace ramie {
namespace {

using test::narrow_provider;

struct node {
  node* next = nullptr;
};

class Batches : public ::testing::Test {
 protected:
  using fifo = queue::fifo_lane<node*, 16, narrow_provider>;
  auto notify() {
    return [this] { ++notified; };
  }
  auto steal() { return detail::steal_batch(victims_deque, victims_lane, lane, notify()); }
  node* take(std::size_t workers, bool stealing) {
    return detail::take_injected_batch(
        injector, lane, workers, stealing, [this](auto items) { fetched += items.size(); }, notify());
  }
  std::vector<node> nodes = std::vector<node>(300);
  queue::chase_lev<node*, narrow_provider> victims_deque;
  fifo victims_lane, lane;
  queue::injector<node, narrow_provider> injector;
  int notified = 0;
  std::size_t fetched = 0;
};

TEST_F(Batches, AThiefTakesOneTaskOfAShortDeque_TheOldest) {
  for (std::size_t i = 0; i < 10; ++i) victims_deque.push_bottom(&nodes[i]);
  const auto taken = steal();
  EXPECT_EQ(taken.count, 1U);
  EXPECT_EQ(taken.first, &nodes[0]);
  EXPECT_EQ(lane.size(), 0U);
  EXPECT_EQ(notified, 0);  // nothing that others could take has moved
}

TEST_F(Batches, AThiefTakesSeveralOfALongDeque_AndTellsOthersOfTheRest) {
  for (node& each : nodes) victims_deque.push_bottom(&each);
  const auto taken = steal();
  EXPECT_EQ(taken.count, 1 + 300U / 64);
  EXPECT_EQ(taken.first, &nodes[0]);
  EXPECT_EQ(lane.size(), taken.count - 1);
  EXPECT_EQ(lane.pop_bottom(), &nodes[1]);  // in their order
  EXPECT_EQ(notified, 1);
}

TEST_F(Batches, AThiefTakesHalfOfTheLane_WhereThereAreNoTasks) {
  for (std::size_t i = 0; i < 9; ++i) ASSERT_TRUE(victims_lane.push_bottom(&nodes[i]));
  const auto taken = steal();
  EXPECT_EQ(taken.count, 5U);
  EXPECT_EQ(taken.first, &nodes[0]);
  EXPECT_EQ(lane.size(), 4U);
  EXPECT_EQ(notified, 1);
}

TEST_F(Batches, NothingToSteal_BringsNothing) {
  const auto taken = steal();
  EXPECT_EQ(taken.count, 0U);
  EXPECT_FALSE(taken.raced);
  EXPECT_EQ(notified, 0);
}

TEST_F(Batches, AWorkerTakesItsShareOfTheInjector_AndTellsOthersOfTheRest) {
  EXPECT_EQ(take(2, true), nullptr);
  for (std::size_t i = 0; i < 8; ++i) injector.push(&nodes[i]);
  EXPECT_EQ(take(2, true), &nodes[0]);
  EXPECT_EQ(fetched, 4U);
  EXPECT_EQ(lane.size(), 3U);
  EXPECT_EQ(injector.size(), 4U);
  EXPECT_EQ(notified, 1);
}

TEST_F(Batches, TheLastSingleItem_IsNobodyElsesBusiness) {
  injector.push(&nodes[0]);
  EXPECT_EQ(take(2, true), &nodes[0]);
  EXPECT_EQ(notified, 0);
  // Nor is what lies in the lane where nobody steals.
  injector.push(&nodes[1]);
  injector.push(&nodes[2]);
  EXPECT_EQ(take(1, false), &nodes[1]);
  EXPECT_EQ(lane.size(), 1U);
  EXPECT_EQ(notified, 0);
}

TEST_F(Batches, WhatFindsNoRoomInTheLane_GoesBack) {
  queue::bundle<node, test::narrow_provider> crowd;
  for (node& each : std::span(nodes).first(queue::bundle_capacity)) crowd.items[crowd.count++] = &each;
  injector.push(&crowd, &crowd);
  EXPECT_EQ(take(1, false), &nodes[0]);
  EXPECT_EQ(lane.size(), fifo::capacity);
  EXPECT_EQ(injector.size(), queue::bundle_capacity - 1 - fifo::capacity);
  EXPECT_EQ(notified, 1);
}

}  // namespace
}  // namespace ramie
