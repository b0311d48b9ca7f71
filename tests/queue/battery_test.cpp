// The promises of every queue to one thread that uses it.
#include "kinds.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace ramie::queue::test {
namespace {

static_assert(work_queue<chase_lev<int*>> && work_queue<chase_lev<std::uint64_t>>);
static_assert(work_queue<locked<int*>> && work_queue<locked<std::uint32_t>>);
static_assert(work_queue<fifo_lane<int*>> && work_queue<fifo_lane<std::uint64_t, 2>>);
static_assert(work_queue<abp<int*>> && work_queue<abp<std::uint64_t>>);
static_assert(work_queue<exchange<int*>> && work_queue<exchange<char>>);
static_assert(work_queue<global<int*>> && work_queue<global<std::int64_t>>);
static_assert(queue_item<int*> && queue_item<std::int64_t> && queue_item<char>);
static_assert(!queue_item<std::string> && !queue_item<std::array<int*, 2>>);
static_assert(!work_queue<std::vector<int>> && !work_queue<std::deque<int>> && !work_queue<int>);

template <class Kind>
class WorkQueue : public ::testing::Test {
 protected:
  using kind = Kind;
  typename Kind::template of<std::int64_t> queue;

  // As many as fit, but at most `wanted`.
  static std::int64_t room(std::size_t wanted) {
    return static_cast<std::int64_t>(std::min(wanted, std::size_t{Kind::capacity}));
  }
  void push_range(std::int64_t from, std::int64_t to) {
    for (; from < to; ++from) ASSERT_TRUE(queue.push_bottom(from)) << from;
  }
  // Takes the rest, through the owner.
  std::size_t drain() {
    std::size_t count = 0;
    while (queue.pop_bottom()) ++count;
    return count;
  }
};
TYPED_TEST_SUITE(WorkQueue, kinds, kind_names);

TYPED_TEST(WorkQueue, Smoke_WhatIsPushedIsPopped) {
  ASSERT_TRUE(this->queue.push_bottom(42));
  EXPECT_EQ(this->queue.size(), 1U);
  EXPECT_EQ(this->queue.pop_bottom(), 42);
  EXPECT_EQ(this->queue.size(), 0U);
}

TYPED_TEST(WorkQueue, Empty_EveryEndSaysSo_AlsoAfterUse) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(this->queue.pop_bottom(), std::nullopt);
    EXPECT_EQ(steal(this->queue).status, steal_status::empty);
    EXPECT_FALSE(this->queue.stealable());
    std::array<std::int64_t, 4> out{};
    const batch_result batch = steal_batch(this->queue, std::span(out));
    EXPECT_EQ(batch.status, steal_status::empty);
    EXPECT_EQ(batch.count, 0U);
    EXPECT_EQ(this->queue.size(), 0U);
    this->push_range(0, 2);
    EXPECT_TRUE(this->queue.pop_bottom().has_value());
    const steal_status last = steal(this->queue).status;
    EXPECT_TRUE(is_true_of<TypeParam>(last, 1));
    EXPECT_EQ(this->drain(), last == steal_status::item ? 0U : 1U);
  }
}

TYPED_TEST(WorkQueue, Order_OwnerTakesNewestOrOldest_AsTheKindSays) {
  const std::int64_t count = this->room(100);
  this->push_range(0, count);
  for (std::int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(this->queue.pop_bottom(), TypeParam::owner_takes_newest ? count - 1 - i : i);
  }
}

TYPED_TEST(WorkQueue, Order_ThievesTakeTheOldest) {
  const std::int64_t count = this->room(100);
  this->push_range(0, count);
  std::int64_t next = 0;
  std::int64_t last = -1;
  for (; next < count; ++next) {
    const auto stolen = steal(this->queue);
    ASSERT_TRUE(is_true_of<TypeParam>(stolen.status, static_cast<std::size_t>(count - next)));
    if (stolen.status != steal_status::item) break;
    if (TypeParam::thieves_take_oldest) {
      EXPECT_EQ(stolen.item, next);
    } else {
      EXPECT_GT(stolen.item, std::exchange(last, stolen.item));  // in order nevertheless
    }
  }
  EXPECT_EQ(this->drain(), static_cast<std::size_t>(count - next));
}

TYPED_TEST(WorkQueue, Batch_TakesAtMostHalf_RoundedUp_OldestFirst) {
  const std::int64_t most = this->room(9);
  for (std::int64_t present = 1; present <= most; ++present) {
    this->push_range(0, present);
    std::array<std::int64_t, 32> out{};
    const batch_result batch = steal_batch(this->queue, std::span(out));
    ASSERT_TRUE(is_true_of<TypeParam>(batch.status, static_cast<std::size_t>(present)));
    EXPECT_EQ(batch.count != 0, batch.status == steal_status::item);
    EXPECT_LE(batch.count, (static_cast<std::size_t>(present) + 1) / 2);
    const std::int64_t first = TypeParam::thieves_take_oldest ? 0 : out[0];
    for (std::size_t i = 0; i < batch.count; ++i) EXPECT_EQ(out[i], first + static_cast<std::int64_t>(i));
    EXPECT_EQ(this->queue.size(), static_cast<std::size_t>(present) - batch.count);
    EXPECT_EQ(this->drain(), static_cast<std::size_t>(present) - batch.count);
  }
}

TYPED_TEST(WorkQueue, Batch_TakesNoMoreThanThereIsRoomFor) {
  const std::int64_t count = this->room(64);
  this->push_range(0, count);
  std::array<std::int64_t, 3> out{-1, -1, -1};
  const batch_result one = steal_batch(this->queue, std::span(out).first(1));
  ASSERT_TRUE(is_true_of<TypeParam>(one.status, static_cast<std::size_t>(count)));
  if (one.status == steal_status::item) {
    EXPECT_EQ(one.count, 1U);
    const std::int64_t first = TypeParam::thieves_take_oldest ? 0 : out[0];
    EXPECT_EQ(out, (std::array<std::int64_t, 3>{first, -1, -1}));
  }
  const batch_result none = this->queue.pop_top_batch(std::span(out).first(0));
  EXPECT_EQ(none.count, 0U);
  EXPECT_NE(none.status, steal_status::item);
  EXPECT_EQ(this->queue.size(), static_cast<std::size_t>(count) - one.count);
}

TYPED_TEST(WorkQueue, WrapAround_TheRingIsReusedManyTimes) {
  std::int64_t next = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t count = this->room(3);
    this->push_range(next, next + count);
    std::int64_t stolen = next - 1;
    if (const auto got = steal(this->queue); got.status == steal_status::item) {
      stolen = got.item;
      ASSERT_TRUE(TypeParam::thieves_take_oldest ? stolen == next : stolen >= next && stolen < next + count);
    } else {
      ASSERT_TRUE(is_true_of<TypeParam>(got.status, 3));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t expected = TypeParam::owner_takes_newest ? next + count - 1 - i : next + i;
      if (expected != stolen) {
        ASSERT_EQ(this->queue.pop_bottom(), expected);
      }
    }
    ASSERT_EQ(this->queue.pop_bottom(), std::nullopt);
    next += count;
  }
}

TYPED_TEST(WorkQueue, Growth_HoldsFarMoreThanAtFirst_OrRefusesWhenFull) {
  constexpr std::int64_t many = 20'000;
  const std::int64_t count = this->room(many);
  for (int round = 0; round < 2; ++round) {
    this->push_range(0, count);
    if (count < many) {
      EXPECT_FALSE(this->queue.push_bottom(count));
    }
    EXPECT_EQ(this->queue.size(), static_cast<std::size_t>(count));
    std::size_t stolen = 0;
    while (steal(this->queue).status == steal_status::item) ++stolen;
    if (TypeParam::thieves_see_all) {
      EXPECT_EQ(stolen, static_cast<std::size_t>(count));
    }
    EXPECT_EQ(stolen + this->drain(), static_cast<std::size_t>(count));
  }
}

// Room for one is made at either end, and used.
TYPED_TEST(WorkQueue, Full_RoomThatIsMade_IsUsed) {
  const bool bounded = TypeParam::capacity != usual::capacity;
  const std::int64_t count = this->room(bounded ? usual::capacity : 100);
  this->push_range(0, count);
  for (int round = 0; round < 3 * count; ++round) {
    const bool by_thief = TypeParam::capacity_is_exact && round % 2 == 0;
    for (std::int64_t i = 0; i < TypeParam::room_unit; ++i) {
      ASSERT_TRUE(by_thief ? steal(this->queue).status == steal_status::item : this->queue.pop_bottom().has_value());
    }
    for (std::int64_t i = 0; i < TypeParam::room_unit; ++i) ASSERT_TRUE(this->queue.push_bottom(round));
    if (bounded) {
      ASSERT_FALSE(this->queue.push_bottom(round));
    }
  }
  EXPECT_EQ(this->drain(), static_cast<std::size_t>(count));
}

template <class Kind>
bool stolen_from(std::deque<std::int64_t>& model, std::int64_t item) {
  const auto at = Kind::thieves_take_oldest ? model.begin() : std::ranges::find(model, item);
  if (at == model.end() || *at != item) return false;
  model.erase(at);
  return true;
}

// Against a model that is easy to believe.
TYPED_TEST(WorkQueue, RandomOperations_AgreeWithADeque) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    typename TypeParam::template of<std::int64_t> queue;
    std::deque<std::int64_t> model;
    std::mt19937 random(seed);
    for (std::int64_t step = 0; step < 2000; ++step) {
      switch (random() % 5) {
        case 0:
        case 1:
          if (queue.push_bottom(step)) {
            model.push_back(step);
            ASSERT_LE(model.size(), TypeParam::capacity);
          } else if (TypeParam::capacity_is_exact) {
            ASSERT_EQ(model.size(), TypeParam::capacity);
          } else {
            ASSERT_NE(TypeParam::capacity, usual::capacity);
          }
          break;
        case 2: {
          std::optional<std::int64_t> expected;
          if (!model.empty() && TypeParam::owner_takes_newest)
            expected = model.back(), model.pop_back();
          else if (!model.empty())
            expected = model.front(), model.pop_front();
          ASSERT_EQ(queue.pop_bottom(), expected);
          break;
        }
        case 3: {
          const auto stolen = steal(queue);
          ASSERT_TRUE(is_true_of<TypeParam>(stolen.status, model.size()));
          if (stolen.status != steal_status::item) break;
          ASSERT_TRUE(stolen_from<TypeParam>(model, stolen.item));
          break;
        }
        default: {
          std::array<std::int64_t, 8> out{};
          const batch_result batch = steal_batch(queue, std::span(out).first(random() % 8 + 1));
          ASSERT_TRUE(is_true_of<TypeParam>(batch.status, model.size()));
          ASSERT_LE(batch.count, (model.size() + 1) / 2);
          for (std::size_t i = 0; i < batch.count; ++i) ASSERT_TRUE(stolen_from<TypeParam>(model, out[i]));
        }
      }
      ASSERT_EQ(queue.size(), model.size());
    }
  }
}

// Items are borrowed: a queue that dies with items left frees itself and touches nothing that they point to.
TYPED_TEST(WorkQueue, Destructor_WithItemsLeft_LeavesThemAlone) {
  auto payload = std::make_unique<int>(7);
  {
    typename TypeParam::template of<int*> queue;
    const std::int64_t count = this->room(5000);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_TRUE(queue.push_bottom(payload.get()));
    EXPECT_EQ(queue.pop_bottom(), payload.get());
  }
  EXPECT_EQ(*payload, 7);
}

}  // namespace
}  // namespace ramie::queue::test
