#include <ramie/scheduler/victim_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ramie::detail {
namespace {

using topology::hierarchy;

constexpr victim_policy policies[] = {
    victim_policy::sequential, victim_policy::random,       victim_policy::random_start, victim_policy::last_victim,
    victim_policy::two_random, victim_policy::hierarchical, victim_policy::probabilistic};

bool draws_each_victim(victim_policy policy) {
  return policy == victim_policy::random || policy == victim_policy::two_random ||
         policy == victim_policy::probabilistic;
}

victim_order order_of(victim_policy policy, unsigned self, unsigned workers, std::uint64_t seed) {
  return {policy, self, workers, seed, near_first(hierarchy::described("pack:2 l3:2 core:2 pu:1"), self, workers, 2)};
}

constexpr auto nothing = [](unsigned) { return std::size_t{0}; };

std::vector<unsigned> visited(victim_order& order) {
  std::vector<unsigned> all;
  EXPECT_FALSE(order.round([&](unsigned victim) { return all.push_back(victim), false; }, nothing));
  return all;
}

// The victim of a round's first attempt, which succeeds.
template <class Size>
unsigned first_of(victim_order& order, Size&& size) {
  unsigned first = 0;
  EXPECT_TRUE(order.round([&](unsigned victim) { return first = victim, true; }, size));
  return first;
}

TEST(VictimOrder, NeverVisitsItself_AndAtMostAllOthers) {
  for (const victim_policy policy : policies) {
    for (unsigned workers = 1; workers <= 9; ++workers) {
      for (unsigned self = 0; self < workers; ++self) {
        victim_order order = order_of(policy, self, workers, 7);
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

// One round of a scan, two fruitless rounds at each of three levels, or enough draws: everybody is found.
TEST(VictimOrder, VisitsEverybodyElse) {
  for (const victim_policy policy : policies) {
    victim_order order = order_of(policy, 2, 6, 3);
    std::set<unsigned> seen;
    const int rounds = draws_each_victim(policy) ? 100 : policy == victim_policy::hierarchical ? 5 : 1;
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
    EXPECT_TRUE(order.round([&](unsigned victim) { return victim == lucky; }, nothing));
    EXPECT_EQ(visited(order).front(), lucky);
  }
}

TEST(VictimOrder, StopsAtTheFirstSuccess) {
  for (const victim_policy policy : policies) {
    victim_order order = order_of(policy, 0, 8, 5);
    int attempts = 0;
    order.look_everywhere();
    EXPECT_TRUE(order.round([&](unsigned) { return ++attempts == 2; }, nothing));
    EXPECT_EQ(attempts, 2);
  }
}

TEST(VictimOrder, SameSeed_SameOrder) {
  for (const victim_policy policy : policies) {
    if (policy == victim_policy::sequential) continue;
    victim_order one = order_of(policy, 2, 16, 99), same = order_of(policy, 2, 16, 99);
    victim_order other = order_of(policy, 2, 16, 100);
    bool differs = false;
    for (int round = 0; round < 20; ++round) {
      const auto victims = visited(one);
      EXPECT_EQ(victims, visited(same));
      differs |= victims != visited(other);
    }
    EXPECT_TRUE(differs) << static_cast<int>(policy);
  }
}

// ---- By size ----

TEST(VictimOrder, OnlyTwoPoliciesAskForSizes) {
  for (const victim_policy policy : policies) {
    victim_order order = order_of(policy, 0, 8, 5);
    int asked = 0;
    order.round([](unsigned) { return false; }, [&](unsigned) { return std::size_t(++asked); });
    const bool by_size = policy == victim_policy::two_random || policy == victim_policy::probabilistic;
    EXPECT_EQ(asked > 0, by_size) << static_cast<int>(policy);
  }
}

TEST(VictimOrder, TwoRandom_TriesTheOneWithMoreFirst_ThenTheOther) {
  victim_order order(victim_policy::two_random, 3, 9, 11);
  const auto size = [](unsigned victim) { return std::size_t{100} + victim; };
  std::set<std::pair<unsigned, unsigned>> pairs;
  for (int round = 0; round < 2000; ++round) {
    std::vector<unsigned> tried;
    order.round([&](unsigned victim) { return tried.push_back(victim), false; }, size);
    ASSERT_EQ(tried.size(), 8U);
    for (std::size_t i = 0; i < tried.size(); i += 2) {
      EXPECT_GT(tried[i], tried[i + 1]);
      pairs.emplace(tried[i], tried[i + 1]);
    }
  }
  EXPECT_EQ(pairs.size(), 8U * 7 / 2);  // every pair of the others is drawn
}

TEST(VictimOrder, TwoRandom_EveryPairIsAsLikely) {
  constexpr int rounds = 28'000;
  victim_order order(victim_policy::two_random, 0, 9, 12);
  std::map<unsigned, int> firsts;
  for (int round = 0; round < rounds; ++round) ++firsts[first_of(order, [](unsigned victim) { return victim; })];
  // Of the 28 pairs, victim v has more in v - 1.
  EXPECT_EQ(firsts.count(1), 0U);
  for (unsigned victim = 2; victim < 9; ++victim)
    EXPECT_NEAR(firsts[victim], rounds / 28. * (victim - 1), 250) << victim;
}

TEST(VictimOrder, TwoRandom_OfOneOther_TakesThat) {
  victim_order order(victim_policy::two_random, 1, 2, 1);
  EXPECT_EQ(visited(order), std::vector<unsigned>{0});
}

std::map<unsigned, double> shares_of(victim_order& order, const std::vector<std::size_t>& sizes, int rounds) {
  std::map<unsigned, double> shares;
  for (int round = 0; round < rounds; ++round)
    shares[first_of(order, [&](unsigned victim) { return sizes[victim]; })] += 1.0 / rounds;
  return shares;
}

TEST(VictimOrder, Probabilistic_ChoosesInProportionToSize) {
  const std::vector<std::size_t> sizes{7, 1, 99, 2, 4, 8, 0, 5};  // 99: its own
  victim_order order(victim_policy::probabilistic, 2, 8, 21);
  auto shares = shares_of(order, sizes, 40'000);
  for (const unsigned victim : {0U, 1U, 3U, 4U, 5U, 6U, 7U})
    EXPECT_NEAR(shares[victim], static_cast<double>(sizes[victim]) / 27, 0.015) << victim;
}

TEST(VictimOrder, Probabilistic_ForgetsALengthThatIsGone) {
  victim_order order(victim_policy::probabilistic, 0, 4, 22);
  shares_of(order, {0, 1'000'000, 1'000'000, 1'000'000}, 100);
  auto shares = shares_of(order, {0, 1, 2, 3}, 40'000);
  for (const unsigned victim : {1U, 2U, 3U}) EXPECT_NEAR(shares[victim], victim / 6., 0.015) << victim;
}

TEST(VictimOrder, Probabilistic_LooksAtFewBeforeItAcceptsOne) {
  constexpr unsigned most_looks = 8;
  victim_order order(victim_policy::probabilistic, 0, 64, 23);
  // One long queue, seen once; from then on everybody has next to nothing.
  for (int i = 0; i < 1000; ++i) first_of(order, [](unsigned) { return std::numeric_limits<std::size_t>::max(); });
  for (const std::size_t each : {std::size_t{1}, std::size_t{0}}) {
    for (int i = 0; i < 100; ++i) {
      unsigned looks = 0;
      first_of(order, [&](unsigned) { return ++looks, each; });
      EXPECT_LE(looks, i == 0 ? most_looks : 1U);
    }
  }
}

// ---- By distance ----

/// A hierarchical thief; says whom a fruitless round visited, sorted, as digits.
class thief {
 public:
  thief(const char* machine, unsigned self, unsigned workers, unsigned threshold)
      : m_order(victim_policy::hierarchical, self, workers, 31,
                near_first(hierarchy::described(machine), self, workers, threshold)) {}

  std::string round() {
    std::string all;
    for (const unsigned victim : visited(m_order)) all += std::to_string(victim);
    std::sort(all.begin(), all.end());
    return all;
  }
  bool finds(unsigned lucky) {
    return m_order.round([&](unsigned victim) { return victim == lucky; }, nothing);
  }
  victim_order& order() { return m_order; }

 private:
  victim_order m_order;
};

TEST(VictimOrder, Hierarchical_GoesOneLevelOut_AfterThresholdFruitlessRounds) {
  thief outwards("pack:2 l3:2 core:2 pu:1", 2, 8, 3);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(outwards.round(), "3");
  for (int round = 0; round < 3; ++round) EXPECT_EQ(outwards.round(), "013");
  for (int round = 0; round < 10; ++round) EXPECT_EQ(outwards.round(), "0134567");
}

TEST(VictimOrder, Hierarchical_TriesNearOnesFirst_EachLevelInEveryOrder) {
  victim_order order(victim_policy::hierarchical, 0, 8, 32,
                     near_first(hierarchy::described("pack:2 l3:1 core:4 pu:1"), 0, 8, 0));
  std::set<std::vector<unsigned>> orders;
  for (int round = 0; round < 500; ++round) {
    std::vector<unsigned> victims = visited(order);
    ASSERT_EQ(victims.size(), 7U);
    orders.insert({victims.begin(), victims.begin() + 3});
    std::sort(victims.begin(), victims.begin() + 3);
    std::sort(victims.begin() + 3, victims.end());
    EXPECT_EQ(victims, (std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7}));
  }
  EXPECT_EQ(orders.size(), 6U);  // all permutations of the three near ones
}

TEST(VictimOrder, Hierarchical_ASuccess_MakesItsLevelTheOutermostAgain) {
  thief outwards("pack:2 l3:2 core:2 pu:1", 0, 8, 2);
  for (int round = 0; round < 4; ++round) outwards.round();
  EXPECT_TRUE(outwards.finds(6));  // far: there may be more
  for (int round = 0; round < 5; ++round) EXPECT_EQ(outwards.round(), "1234567");
  EXPECT_TRUE(outwards.finds(3));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(outwards.round(), "123");
  EXPECT_TRUE(outwards.finds(1));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(outwards.round(), "1");
  EXPECT_EQ(outwards.round(), "123");
}

TEST(VictimOrder, Hierarchical_ASuccess_BeginsTheCountAgain) {
  thief outwards("pack:2 l3:1 core:2 pu:1", 0, 4, 3);
  for (int i = 0; i < 5; ++i) {
    for (int round = 0; round < 2; ++round) EXPECT_EQ(outwards.round(), "1");
    EXPECT_TRUE(outwards.finds(1));
  }
}

TEST(VictimOrder, Hierarchical_Threshold0_LooksAtAllAlways) {
  thief everywhere("pack:2 l3:1 core:2 pu:1", 3, 4, 0);
  EXPECT_EQ(everywhere.round(), "012");
  EXPECT_TRUE(everywhere.finds(2));
  EXPECT_EQ(everywhere.round(), "012");
}

TEST(VictimOrder, Hierarchical_LookEverywhere_HoldsUntilASuccess) {
  thief sleeper("pack:2 l3:2 core:2 pu:1", 5, 8, 1'000'000'000);
  EXPECT_EQ(sleeper.round(), "4");
  sleeper.order().look_everywhere();
  for (int round = 0; round < 3; ++round) EXPECT_EQ(sleeper.round(), "0123467");
  EXPECT_TRUE(sleeper.finds(4));
  EXPECT_EQ(sleeper.round(), "4");
}

TEST(VictimOrder, Hierarchical_LevelsWithNobody_AreNoLevels) {
  // A cache of its own: the first level is the package. More workers than CPUs: worker 4 shares the CPU of worker 0.
  thief alone("pack:2 l3:2 core:1 pu:1", 0, 4, 2);
  EXPECT_EQ(alone.round(), "1");
  EXPECT_EQ(alone.round(), "1");
  EXPECT_EQ(alone.round(), "123");
  thief shares("pack:2 l3:2 core:1 pu:1", 0, 5, 1);
  EXPECT_EQ(shares.round(), "4");
  EXPECT_EQ(shares.round(), "14");
  EXPECT_EQ(shares.round(), "1234");
}

TEST(VictimOrder, Hierarchical_UnevenLevels) {
  // Six workers on eight CPUs: the second package has two of them.
  thief many("pack:2 l3:1 core:4 pu:1", 1, 6, 1);
  EXPECT_EQ(many.round(), "023");
  EXPECT_EQ(many.round(), "02345");
  thief few("pack:2 l3:1 core:4 pu:1", 5, 6, 1);
  EXPECT_EQ(few.round(), "4");
  EXPECT_EQ(few.round(), "01234");
}

}  // namespace
}  // namespace ramie::detail
