#include <ramie/scheduler/victim_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace ramie::detail {
namespace {

constexpr victim_policy policies[] = {victim_policy::sequential, victim_policy::random, victim_policy::random_start,
                                      victim_policy::last_victim};

std::vector<unsigned> visited(victim_order& order) {
  std::vector<unsigned> all;
  EXPECT_FALSE(order.round([&](unsigned victim) { return all.push_back(victim), false; }));
  return all;
}

TEST(VictimOrder, NeverVisitsItself_AndAtMostAllOthers) {
  for (const victim_policy policy : policies) {
    for (unsigned workers = 1; workers <= 9; ++workers) {
      for (unsigned self = 0; self < workers; ++self) {
        victim_order order(policy, self, workers, 7);
        for (int round = 0; round < 50; ++round) {
          const auto victims = visited(order);
          EXPECT_LE(victims.size(), workers - 1);
          for (const unsigned victim : victims) {
            EXPECT_NE(victim, self);
            EXPECT_LT(victim, workers);
          }
        }
      }
    }
  }
}

// One round of a scan, or enough draws: everybody is found.
TEST(VictimOrder, VisitsEverybodyElse) {
  for (const victim_policy policy : policies) {
    victim_order order(policy, 2, 6, 3);
    std::set<unsigned> seen;
    const int rounds = policy == victim_policy::random ? 100 : 1;
    for (int round = 0; round < rounds; ++round) {
      for (const unsigned victim : visited(order)) seen.insert(victim);
    }
    EXPECT_EQ(seen, (std::set<unsigned>{0, 1, 3, 4, 5})) << static_cast<int>(policy);
  }
}

TEST(VictimOrder, Sequential_BeginsAtWorkerZeroEveryTime) {
  victim_order order(victim_policy::sequential, 3, 5, 1);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(visited(order), (std::vector<unsigned>{0, 1, 2, 4}));
}

TEST(VictimOrder, RandomStart_BeginsEverywhere_AndGoesRoundOnce) {
  victim_order order(victim_policy::random_start, 0, 5, 1);
  std::set<unsigned> firsts;
  for (int round = 0; round < 200; ++round) {
    auto victims = visited(order);
    firsts.insert(victims.front());
    std::sort(victims.begin(), victims.end());
    EXPECT_EQ(victims, (std::vector<unsigned>{1, 2, 3, 4}));
  }
  EXPECT_EQ(firsts.size(), 4U);
}

TEST(VictimOrder, LastVictim_GoesFirstWhereItSucceeded) {
  victim_order order(victim_policy::last_victim, 1, 6, 1);
  for (const unsigned lucky : {4U, 0U, 5U}) {
    EXPECT_TRUE(order.round([&](unsigned victim) { return victim == lucky; }));
    EXPECT_EQ(visited(order).front(), lucky);
  }
}

TEST(VictimOrder, StopsAtTheFirstSuccess) {
  for (const victim_policy policy : policies) {
    victim_order order(policy, 0, 8, 5);
    int attempts = 0;
    EXPECT_TRUE(order.round([&](unsigned) { return ++attempts == 2; }));
    EXPECT_EQ(attempts, 2);
  }
}

TEST(VictimOrder, SameSeed_SameOrder) {
  victim_order one(victim_policy::random, 2, 16, 99), same(victim_policy::random, 2, 16, 99);
  victim_order other(victim_policy::random, 2, 16, 100);
  bool differs = false;
  for (int round = 0; round < 20; ++round) {
    const auto victims = visited(one);
    EXPECT_EQ(victims, visited(same));
    differs |= victims != visited(other);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace ramie::detail
