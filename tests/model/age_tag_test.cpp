// The purpose of the tag beside abp's top: with fewer bits than the resets that a thief sleeps through, an item is
// taken twice.
#include <model/scenarios/work_queue_play.hpp>

#include <ramie/queue/abp.hpp>

#include <gtest/gtest.h>

namespace ramie::model {
namespace {

// A thief beside an owner who empties the deque `resets` times and fills it again.
template <unsigned TagBits>
report explore_resets(int resets) {
  return explore("resets", [resets] {
    play<queue::abp<item*, provider, TagBits>> of(2);
    of.push();
    threads(
        [&] {
          for (int i = 0; i < resets; ++i) {
            of.pop();
            of.push();
          }
        },
        [&] { of.steal(); });
    of.finish();
  });
}

TEST(AgeTag, Without_AStalledThiefTakesAnItemTwice) {
  const report found = explore_resets<0>(1);
  EXPECT_TRUE(found.failed);
  EXPECT_FALSE(found.trace.empty());
}

TEST(AgeTag, OfOneBit_SurvivesOneReset_AndNotTwo) {
  EXPECT_TRUE(explore_resets<1>(1).ok());
  EXPECT_TRUE(explore_resets<1>(2).failed);
}

TEST(AgeTag, OfTwoBits_SurvivesThreeResets_AndNotFour) {
  EXPECT_TRUE(explore_resets<2>(3).ok());
  EXPECT_TRUE(explore_resets<2>(4).failed);
}

TEST(AgeTag, AsItShips_SurvivesFourResets) { EXPECT_TRUE(explore_resets<40>(4).ok()); }

}  // namespace
}  // namespace ramie::model
