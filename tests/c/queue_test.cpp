// The C functions over every kind of queue.
#include "drive_queue.h"

#include <ramie/c/queue.h>
#include <ramie/queue/kind.hpp>

#include <gtest/gtest.h>

#include <support/repetitions.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace ramie {
namespace {

class CQueue : public ::testing::TestWithParam<queue::kind> {
 protected:
  std::string m_kind{name_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(C, CQueue, ::testing::ValuesIn(queue::all_kinds),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(CQueue, Alone_GivesBackWhatItWasGiven) {
  for (const std::size_t capacity : {1U, 2U, 5U, 1024U}) {
    for (const std::size_t items : {1U, 2U, 100U, 5000U}) {
      EXPECT_STREQ(drive_queue_alone(m_kind.c_str(), capacity, items), nullptr) << capacity << ", " << items;
    }
  }
}

TEST_P(CQueue, Stress_OwnerAndThieves_EachItemTakenOnce) {
  constexpr std::size_t items = test::sanitized ? 5'000 : 100'000;
  for (unsigned thieves = 1; thieves <= 3; ++thieves) {
    for (const std::size_t capacity : {4U, 1024U}) {
      EXPECT_STREQ(drive_queue(m_kind.c_str(), capacity, items, thieves), nullptr) << capacity << ", " << thieves;
    }
  }
}

TEST_P(CQueue, New_ACapacityOfNothing_IsEINVAL) {
  errno = 0;
  EXPECT_EQ(ramie_queue_new(m_kind.c_str(), 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_P(CQueue, Order_OwnerTakesTheNewestOrTheOldest_ThievesTheOldest) {
  ramie_queue* const queue = ramie_queue_new(m_kind.c_str(), 16);
  ASSERT_NE(queue, nullptr);
  for (const std::uint64_t item : {0U, 1U, 2U, 3U}) ASSERT_TRUE(ramie_queue_push(queue, item));
  std::uint64_t item = 9;
  ASSERT_TRUE(ramie_queue_pop(queue, &item));
  EXPECT_EQ(item, takes_newest_first(GetParam()) ? 3U : 0U);
  ramie_steal got = RAMIE_STEAL_LOST_RACE;
  for (int i = 0; i < 500 && got == RAMIE_STEAL_LOST_RACE; ++i) got = ramie_queue_steal(queue, &item);
  if (got == RAMIE_STEAL_ITEM) {
    EXPECT_EQ(item, takes_newest_first(GetParam()) ? 0U : 1U);
  }
  ramie_queue_free(queue);
}

void expect_refused(const char* kind, std::size_t capacity) {
  errno = 0;
  EXPECT_EQ(ramie_queue_new(kind, capacity), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_P(CQueue, New_OfTheLargestNumber_IsRefusedOrWorks) {
  errno = 0;
  ramie_queue* const queue = ramie_queue_new(m_kind.c_str(), SIZE_MAX);
  if (queue == nullptr) {
    EXPECT_EQ(errno, EINVAL);
  } else {  // memory is its only bound
    EXPECT_TRUE(ramie_queue_push(queue, 1));
  }
  ramie_queue_free(queue);
}

// The meaning of RAMIE_STEAL_LOST_RACE, as in queue.h.

TEST(CQueueLostRace, BlockQueues_AnIdleOwnerNeverAnswers_ItsNextPushOrPopDoes) {
  for (const char* const kind : {"bwos_lifo", "bwos_fifo"}) {
    for (const bool pushes : {true, false}) {
      ramie_queue* const queue = ramie_queue_new(kind, 256);
      ASSERT_NE(queue, nullptr);
      std::uint64_t item = 0;
      for (std::uint64_t each = 0; each < 8; ++each) ASSERT_TRUE(ramie_queue_push(queue, each));
      for (int i = 0; i < 10'000; ++i) ASSERT_EQ(ramie_queue_steal(queue, &item), RAMIE_STEAL_LOST_RACE) << kind << i;
      ASSERT_TRUE(pushes ? ramie_queue_push(queue, 8) : ramie_queue_pop(queue, &item));
      EXPECT_EQ(ramie_queue_steal(queue, &item), RAMIE_STEAL_ITEM) << kind << (pushes ? " push" : " pop");
      ramie_queue_free(queue);
    }
  }
}

TEST(CQueueLostRace, Split_TheFirstLookAsks_AndTheSixthHelpsItself) {
  ramie_queue* const queue = ramie_queue_new("split", 256);
  ASSERT_NE(queue, nullptr);
  std::uint64_t item = 9;
  for (const std::uint64_t each : {0U, 1U, 2U}) ASSERT_TRUE(ramie_queue_push(queue, each));
  int looks = 0;
  while (looks < 100 && ramie_queue_steal(queue, &item) == RAMIE_STEAL_LOST_RACE) ++looks;
  EXPECT_EQ(looks, 5);
  EXPECT_EQ(item, 0U);
  ramie_queue_free(queue);
}

TEST(CQueueErrors, New_OfNoKind_IsEINVAL) {
  expect_refused("no_such_queue", 16);
  expect_refused("", 16);
  expect_refused(nullptr, 16);
}

TEST(CQueueErrors, New_TooLargeForTheKind_IsEINVAL) {
  expect_refused("abp", std::size_t{1} << 24);
  expect_refused("exchange", std::size_t{1} << 32);
  expect_refused("chase_lev", SIZE_MAX);
}

TEST(CQueueErrors, APushThatFindsTheQueueFull_IsEAGAIN) {
  for (const char* const kind : {"abp", "exchange"}) {
    ramie_queue* const queue = ramie_queue_new(kind, 2);
    ASSERT_NE(queue, nullptr);
    EXPECT_TRUE(ramie_queue_push(queue, 1));
    EXPECT_TRUE(ramie_queue_push(queue, 2));
    errno = 0;
    EXPECT_FALSE(ramie_queue_push(queue, 3));
    EXPECT_EQ(errno, EAGAIN);
    ramie_queue_free(queue);
  }
}

#if !RAMIE_ASAN && !RAMIE_TSAN  // they end a process that gets no memory

// In a process of its own, whose address space ends where it is.
int out_of_memory() {
  ramie_queue* const growing = ramie_queue_new("chase_lev", 1024);
  const rlimit none{.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
  if (growing == nullptr || ::setrlimit(RLIMIT_AS, &none) != 0) return 1;
  errno = 0;
  if (ramie_queue_new("abp", std::size_t{1} << 23) != nullptr || errno != ENOMEM) return 2;
  std::uint64_t pushed = 0;
  errno = 0;
  while (ramie_queue_push(growing, pushed)) ++pushed;
  if (errno != ENOMEM || pushed < 1024) return 3;
  for (std::uint64_t item = 0; pushed > 0;) {
    if (!ramie_queue_pop(growing, &item) || item != --pushed) return 4;
  }
  return 0;
}

TEST(CQueueErrors, NoMemory_IsENOMEM_AndLosesNothing) {
  EXPECT_EXIT(std::_Exit(out_of_memory()), ::testing::ExitedWithCode(0), "");
}
#endif

TEST(CQueueErrors, Free_OfNothing_DoesNothing) { ramie_queue_free(nullptr); }

TEST(CQueueErrors, NoQueue_OrNoPlaceForTheItem_EndsTheProcessWithASentence) {
  std::uint64_t item = 0;
  ramie_queue* const queue = ramie_queue_new("locked", 1);
  EXPECT_DEATH(ramie_queue_push(nullptr, 1), "ramie: ramie_queue_push was given NULL as the queue");
  EXPECT_DEATH(ramie_queue_pop(nullptr, &item), "ramie: ramie_queue_pop was given NULL as the queue");
  EXPECT_DEATH(ramie_queue_steal(nullptr, &item), "ramie: ramie_queue_steal was given NULL as the queue");
  EXPECT_DEATH(ramie_queue_empty(nullptr), "ramie: ramie_queue_empty was given NULL as the queue");
  EXPECT_DEATH(ramie_queue_pop(queue, nullptr), "ramie: ramie_queue_pop was given NULL as the place for the item");
  EXPECT_DEATH(ramie_queue_steal(queue, nullptr), "ramie: ramie_queue_steal was given NULL as the place for the item");
  ramie_queue_free(queue);
}

}  // namespace
}  // namespace ramie
