// Kinds by name, and queues whose kind is known only at run time.
#include <ramie/queue/family.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ramie::queue {
namespace {

TEST(Kind, EveryOneHasAName_ThatLeadsBackToIt) {
  for (const kind each : all_kinds) EXPECT_EQ(kind_of(name_of(each)), each) << name_of(each);
  EXPECT_EQ(kind_of("chase_lev"), kind::chase_lev);
  EXPECT_EQ(kind_of("Chase_Lev"), std::nullopt);
  EXPECT_EQ(kind_of(""), std::nullopt);
}

TEST(Family, EveryKindCanBeMade_AndWorks) {
  for (const kind each : {kind::locked, kind::chase_lev}) {
    SCOPED_TRACE(std::string(name_of(each)));
    const auto queue = family<int>(each).make();
    ASSERT_NE(queue, nullptr);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(queue->push_bottom(i));
    EXPECT_EQ(queue->size(), 10U);
    EXPECT_TRUE(queue->stealable());
    EXPECT_EQ(queue->pop_bottom(), takes_newest_first(each) ? 9 : 0);
  }
}

}  // namespace
}  // namespace ramie::queue
