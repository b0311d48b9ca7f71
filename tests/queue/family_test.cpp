// Kinds by name, and queues whose kind is known only at run time.
#include <ramie/queue/family.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <stdexcept>
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
  for (const kind each : all_kinds) {
    SCOPED_TRACE(std::string(name_of(each)));
    const auto queue = family<int>(each).make();
    ASSERT_NE(queue, nullptr);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(queue->push_bottom(i));
    EXPECT_EQ(queue->size(), 10U);
    EXPECT_TRUE(queue->stealable());
    EXPECT_EQ(queue->pop_bottom(), takes_newest_first(each) ? 9 : 0);
    std::array<int, 2> out{};
    batch_result stolen = queue->pop_top_batch(out);
    for (int i = 0; i < 10 && stolen.status == steal_status::lost_race; ++i) {  // the owner may have been asked
      ASSERT_TRUE(queue->push_bottom(10));
      ASSERT_TRUE(queue->pop_bottom().has_value());
      stolen = queue->pop_top_batch(out);
    }
    EXPECT_EQ(stolen.count, 2U);
  }
}

TEST(Family, Global_AllQueuesAreTheSameOne_WhichOutlivesItsFamily) {
  auto made = std::make_unique<family<int>>(kind::global);
  const auto one = made->make();
  const auto other = made->make();
  made.reset();
  ASSERT_TRUE(one->push_bottom(1));
  EXPECT_EQ(other->size(), 1U);
  EXPECT_TRUE(other->stealable());
  EXPECT_EQ(other->pop_bottom(), 1);
  EXPECT_EQ(one->size(), 0U);
}

TEST(Family, Global_TwoFamiliesShareNothing) {
  const auto one = family<int>(kind::global).make();
  const auto other = family<int>(kind::global).make();
  ASSERT_TRUE(one->push_bottom(1));
  EXPECT_EQ(other->size(), 0U);
}

TEST(Family, OtherKinds_EveryQueueIsItsOwn) {
  for (const kind each : all_kinds) {
    if (each == kind::global) continue;
    family<int> made(each);
    const auto one = made.make();
    const auto other = made.make();
    ASSERT_TRUE(one->push_bottom(1));
    EXPECT_EQ(other->size(), 0U) << name_of(each);
  }
}

TEST(Family, Capacity_OfABoundedKind_IsWhatWasAskedFor_RoundedUp) {
  for (const kind each : {kind::abp, kind::exchange}) {
    SCOPED_TRACE(std::string(name_of(each)));
    const auto queue = family<int>(each, {.capacity = 5}).make();
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(queue->push_bottom(i));
    EXPECT_FALSE(queue->push_bottom(8));
  }
}

std::string refusal(kind which, const settings& chosen) {
  try {
    const family<int> made(which, chosen);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "made";
}

TEST(FamilySettings, ACapacityOfNothing_IsRefused) {
  for (const kind each : all_kinds) {
    EXPECT_EQ(refusal(each, {.capacity = 0}), std::string(name_of(each)) + ": capacity is 0; give at least 1.");
  }
}

TEST(FamilySettings, ACapacityBeyondTheIndex_IsRefused_WhereThereIsAnIndex) {
  EXPECT_EQ(refusal(kind::abp, {.capacity = 8'388'609}), "abp: capacity is 8388609; give at most 8388608.");
  EXPECT_EQ(refusal(kind::exchange, {.capacity = 2'147'483'649}),
            "exchange: capacity is 2147483649; give at most 2147483648.");
  EXPECT_EQ(refusal(kind::chase_lev, {.capacity = std::numeric_limits<std::size_t>::max()}),
            "chase_lev: capacity is 18446744073709551615; give at most 2147483648.");
  for (const kind each : all_kinds) EXPECT_EQ(refusal(each, {.capacity = max_capacity(each)}), "made");
}

TEST(FamilySettings, BlocksThatMakeNoQueue_AreRefused_WhereThereAreBlocks) {
  for (const kind each : {kind::bwos_lifo, kind::bwos_fifo}) {
    const std::string name(name_of(each));
    for (const std::size_t blocks : {std::size_t{0}, std::size_t{1}, std::size_t{65'537}, SIZE_MAX}) {
      EXPECT_EQ(refusal(each, {.blocks = {.blocks = blocks}}),
                name + ": the number of blocks is " + std::to_string(blocks) + "; give 2 to 65536.");
    }
    for (const std::size_t entries : {0U, 4096U}) {
      EXPECT_EQ(refusal(each, {.blocks = {.entries = entries}}),
                name + ": the number of entries of a block is " + std::to_string(entries) + "; give 1 to 4095.");
    }
    EXPECT_EQ(refusal(each, {.blocks = {.blocks = 2, .entries = 1}}), "made");
    EXPECT_EQ(refusal(each, {.blocks = {.blocks = 2, .entries = 4095}}), "made");
  }
  EXPECT_EQ(refusal(kind::abp, {.blocks = {.blocks = 0, .entries = 0}}), "made");
}

TEST(FamilySettings, ARefusal_IsABadOption) { EXPECT_THROW(family<int>(kind::abp, {.capacity = 0}), bad_option); }

}  // namespace
}  // namespace ramie::queue
