// The heap of deadlines, against a sorted map, with seeded operations.
#include <ramie/base/random.hpp>
#include <ramie/scheduler/parked.hpp>

#include "scheduler/timer_heap.hpp"

#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace ramie {
namespace {

using heap_type = detail::timer_heap<work_item>;

struct wait {
  explicit wait(detail::deadline_ns when) : timer(record, when) {}
  thread_parker waiter;
  detail::wait_record<work_item> record{waiter};
  heap_type::timer timer;
};

void expire(heap_type& heap, detail::deadline_ns now) {
  heap.expire(now, [](work_item&) { FAIL() << "nobody has parked"; });
}

TEST(TimerHeap, HasNoEarliestDeadline_WhileItIsEmpty) {
  heap_type heap;
  EXPECT_EQ(heap.earliest(), detail::no_deadline);
  wait only(5);
  EXPECT_TRUE(heap.add(only.timer));
  EXPECT_EQ(heap.earliest(), 5);
  heap.take_back(only.timer);
  EXPECT_EQ(heap.earliest(), detail::no_deadline);
  heap.take_back(only.timer);
}

TEST(TimerHeap, SaysWhichTimerIsTheEarliest) {
  heap_type heap;
  wait late(9), later(10), early(3);
  EXPECT_TRUE(heap.add(late.timer));
  EXPECT_FALSE(heap.add(later.timer));
  EXPECT_TRUE(heap.add(early.timer));
  expire(heap, 100);
}

TEST(TimerHeap, EndsTheWaitsWhoseTimeHasCome_AndNoOthers) {
  heap_type heap;
  wait first(3), second(5), third(6);
  for (wait* const each : {&third, &first, &second}) static_cast<void>(heap.add(each->timer));
  expire(heap, 5);
  EXPECT_TRUE(first.record.is_finished());
  EXPECT_TRUE(second.record.is_finished());
  EXPECT_EQ(second.record.reason(), wake_reason::timed_out);
  EXPECT_FALSE(third.record.is_finished());
  EXPECT_EQ(heap.earliest(), 6);
  heap.take_back(third.timer);
}

TEST(TimerHeap, LeavesAWaitAlone_ThatHasEndedOtherwise) {
  heap_type heap;
  wait ended(3);
  static_cast<void>(heap.add(ended.timer));
  ASSERT_TRUE(ended.record.claim(wake_reason::woken));
  expire(heap, 3);
  EXPECT_FALSE(ended.record.is_finished());
  EXPECT_EQ(ended.record.reason(), wake_reason::woken);
  EXPECT_EQ(heap.earliest(), detail::no_deadline);
}

TEST(TimerHeap, WakesWhoHasParked) {
  heap_type heap;
  wait sleeper(3);
  static_cast<void>(heap.add(sleeper.timer));
  ASSERT_TRUE(sleeper.record.park());
  std::vector<work_item*> woken;
  heap.expire(4, [&](work_item& waiter) { woken.push_back(&waiter); });
  EXPECT_EQ(woken, std::vector<work_item*>{&sleeper.waiter});
}

TEST(TimerHeap, WakesTheEarliestFirst) {
  heap_type heap;
  std::deque<wait> all;
  for (const detail::deadline_ns when : {5, 1, 4, 2, 3}) {
    wait& fresh = all.emplace_back(when);
    static_cast<void>(heap.add(fresh.timer));
    ASSERT_TRUE(fresh.record.park());
  }
  std::vector<detail::deadline_ns> woken;
  heap.expire(9, [&](work_item& waiter) {
    for (const wait& each : all) {
      if (&each.waiter == &waiter) woken.push_back(each.timer.when());
    }
  });
  EXPECT_EQ(woken, (std::vector<detail::deadline_ns>{1, 2, 3, 4, 5}));
}

TEST(TimerHeap, EndsSomeHundredWaitsAtOnce) {
  heap_type heap;
  std::deque<wait> all;
  for (int i = 0; i < 2'000; ++i) static_cast<void>(heap.add(all.emplace_back(5).timer));
  expire(heap, 5);
  EXPECT_EQ(heap.earliest(), 5);
  for (int i = 0; i < 10; ++i) expire(heap, 5);
  EXPECT_EQ(heap.earliest(), detail::no_deadline);
}

// Timers added, taken back and expired in any order: at each moment the earliest deadline is the map's, and the expired
// ones are the map's.
TEST(TimerHeap, KeepsTheOrderOfASortedMap) {
  for (const std::uint64_t seed : test::seeds(20)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_source random(seed);
    heap_type heap;
    std::deque<wait> all;
    std::multimap<detail::deadline_ns, wait*> expected;
    detail::deadline_ns now = 0;
    for (int step = 0; step < 2'000; ++step) {
      const unsigned what = random.below(8);
      if (what < 4) {
        wait& fresh = all.emplace_back(now + random.below(200));
        EXPECT_EQ(heap.add(fresh.timer), expected.empty() || fresh.timer.when() < expected.begin()->first);
        expected.emplace(fresh.timer.when(), &fresh);
      } else if (what < 7 && !expected.empty()) {
        auto chosen = std::next(expected.begin(), random.below(static_cast<unsigned>(expected.size())));
        heap.take_back(chosen->second->timer);
        EXPECT_FALSE(chosen->second->record.is_finished());
        expected.erase(chosen);
      } else {
        now += random.below(100);
        while (heap.earliest() <= now) expire(heap, now);
        while (!expected.empty() && expected.begin()->first <= now) {
          EXPECT_TRUE(expected.begin()->second->record.is_finished());
          expected.erase(expected.begin());
        }
      }
      EXPECT_EQ(heap.earliest(), expected.empty() ? detail::no_deadline : expected.begin()->first);
    }
    while (heap.earliest() <= now + 1'000) expire(heap, now + 1'000);
    for (const auto& [when, left] : expected) EXPECT_TRUE(left->record.is_finished());
  }
}

}  // namespace
}  // namespace ramie
