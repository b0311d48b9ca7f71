// channel: every operation in each of closed, full, empty, timed out, cancelled; items are lost nowhere.
#include <support/fibers.hpp>

#include <ramie/sync/channel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;
using enum channel_status;

using item = std::unique_ptr<int>;
item made(int value) { return std::make_unique<int>(value); }

class Channel : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Channel, ::testing::Values(1U, 2U, 4U));

static_assert(std::ranges::input_range<channel<item>> && !std::ranges::forward_range<channel<item>>);

TEST(ChannelValue, HasItsCapacity) {
  EXPECT_EQ(channel<int>().capacity(), 0U);
  EXPECT_EQ(channel<int>(3).capacity(), 3U);
  EXPECT_THROW(channel<int>(SIZE_MAX / 4), misuse);
  EXPECT_FALSE((std::is_copy_constructible_v<channel<int>>));
}

TEST(ChannelValue, TriesInEveryState) {
  channel<item> unbuffered;
  item mine = made(1);
  EXPECT_EQ(unbuffered.try_send(std::move(mine)), full);
  ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move): it is still here
  EXPECT_EQ(unbuffered.try_receive().status(), empty);

  channel<item> of(2);
  EXPECT_EQ(of.try_receive().status(), empty);
  EXPECT_EQ(of.try_send(made(1)), done);
  EXPECT_EQ(of.try_send(made(2)), done);
  EXPECT_EQ(of.size(), 2U);
  EXPECT_EQ(of.try_send(std::move(mine)), full);
  ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(of.close());
  EXPECT_FALSE(of.close());
  EXPECT_TRUE(of.is_closed());
  EXPECT_EQ(of.try_send(std::move(mine)), closed);
  EXPECT_EQ(of.send(std::move(mine)), closed);
  EXPECT_EQ(of.send(std::move(mine), 1h), closed);
  ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move)
  received<item> first = of.try_receive();
  ASSERT_TRUE(first);
  EXPECT_EQ(first.status(), done);
  EXPECT_EQ(**first, 1);
  EXPECT_EQ(**of.receive(), 2);
  EXPECT_EQ(of.receive(), std::nullopt);
  EXPECT_EQ(of.try_receive().status(), closed);
  EXPECT_EQ(of.receive(1h).status(), closed);
}

TEST(ChannelValue, ItemsThatAreLeftAreDestroyed) {
  auto counted = std::make_shared<int>(0);
  {
    channel<std::shared_ptr<int>> bounded(3), unbounded(channel<std::shared_ptr<int>>::unbounded);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(bounded.send(counted), done);
    EXPECT_TRUE(bounded.receive());
    EXPECT_EQ(bounded.send(counted), done);  // around the ring
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(unbounded.send(counted), done);
    EXPECT_EQ(counted.use_count(), 1004);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(ChannelValue, Unbounded_KeepsOrderThroughItsBlocks) {
  channel<item> of(channel<item>::unbounded);
  int sent = 0, got = 0;
  for (const int burst : {1, 3, 2000, 1, 700, 5000}) {
    for (int i = 0; i < burst; ++i) EXPECT_EQ(of.send(made(sent++)), done);
    for (int i = 0; i < burst / 2; ++i) EXPECT_EQ(**of.receive(), got++);
  }
  EXPECT_EQ(of.size(), static_cast<std::size_t>(sent - got));
  of.close();
  for (item& each : of) EXPECT_EQ(*each, got++);
  EXPECT_EQ(got, sent);
}

struct alignas(128) wide {
  explicit wide(int of) : value(of) {}
  wide(wide&& other) noexcept : value(other.value) { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % 128, 0U); }
  wide& operator=(wide&&) = delete;
  int value;
};

TEST(ChannelValue, ItemsNeedNoAssignment_AndAreAligned) {
  channel<wide> bounded(3), unbounded(channel<wide>::unbounded);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bounded.send(wide(i)), done);
    EXPECT_EQ(unbounded.send(wide(i)), done);
  }
  bounded.close();
  int next = 0;
  for (wide& each : bounded) EXPECT_EQ(each.value, next++);
  EXPECT_EQ(unbounded.receive()->value, 0);
}

TEST(ChannelValue, DestroyedUnderAWaiter_EndsTheProcess) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto of = std::make_unique<channel<int>>();
                     auto waiter = spawn([&, raw = of.get()] { static_cast<void>(raw->receive()); });
                     yield();
                     of.reset();
                     waiter.join();
                   }),
               "a channel was destroyed while fibers or threads wait for it");
}

TEST_P(Channel, Unbuffered_HandsOver) {
  run(chosen, [] {
    channel<item> of;
    auto producer = spawn([&] {
      for (int i = 0; i < 1000; ++i) EXPECT_EQ(of.send(made(i)), done);
      of.close();
    });
    int next = 0;
    for (item& each : of) EXPECT_EQ(*each, next++);
    EXPECT_EQ(next, 1000);
    producer.join();
  });
}

TEST_P(Channel, Bounded_KeepsOrder) {
  run(chosen, [] {
    for (const std::size_t capacity : {1U, 2U, 7U}) {
      channel<item> of(capacity);
      auto producer = spawn([&] {
        for (int i = 0; i < 1000; ++i) EXPECT_EQ(of.send(made(i)), done);
        of.close();
      });
      int next = 0;
      for (item& each : of) EXPECT_EQ(*each, next++);
      EXPECT_EQ(next, 1000);
      producer.join();
    }
  });
}

TEST_P(Channel, WaitsEndByTime_AndMoveNothing) {
  const auto test = [] {
    for (const std::size_t capacity : {0U, 1U}) {
      channel<item> of(capacity);
      EXPECT_EQ(of.receive(1ms).status(), timed_out);
      EXPECT_EQ(of.receive(-1s).status(), timed_out);
      if (capacity == 1) {
        EXPECT_EQ(of.send(made(1), -1s), done);
      }  // what can be done at once is done
      item mine = made(2);
      EXPECT_EQ(of.send(std::move(mine), 1ms), timed_out);
      EXPECT_EQ(of.send(std::move(mine), -1s), timed_out);
      ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move)
      EXPECT_EQ(*mine, 2);
      EXPECT_EQ(of.size(), capacity);
      if (capacity == 1) {
        EXPECT_EQ(**of.receive(-1s), 1);
      }
    }
  };
  run(chosen, test);
  test();  // on a thread
}

TEST_P(Channel, WaitsEndByAStop_AndMoveNothing) {
  run(chosen, [] {
    for (const std::size_t capacity : {0U, 1U}) {
      channel<item> of(capacity);
      std::stop_source stop;
      auto receiver = spawn([&] { return of.receive(stop.get_token()).status(); });
      sleep_for(1ms);
      stop.request_stop();
      EXPECT_EQ(receiver.join(), cancelled);
      EXPECT_EQ(of.receive(stop.get_token()).status(), cancelled);
      if (capacity == 1) {
        EXPECT_EQ(of.send(made(1)), done);
      }
      std::stop_source other;
      item mine = made(2);
      auto sender = spawn([&] { return of.send(std::move(mine), other.get_token()); });
      sleep_for(1ms);
      other.request_stop();
      EXPECT_EQ(sender.join(), cancelled);
      ASSERT_NE(mine, nullptr);
      EXPECT_EQ(of.size(), capacity);
    }
  });
}

TEST_P(Channel, CloseEndsEveryWait) {
  run(chosen, [] {
    for (const std::size_t capacity : {0U, 1U}) {
      channel<item> of(capacity);
      std::vector<join_handle<channel_status>> receivers;
      for (int i = 0; i < 3; ++i) {
        receivers.push_back(spawn([&, i] {
          if (i == 0) return of.receive() ? done : closed;
          return of.receive(1h).status();
        }));
      }
      sleep_for(1ms);
      of.close();
      for (auto& each : receivers) EXPECT_EQ(each.join(), closed);
    }
    for (const std::size_t capacity : {0U, 1U}) {
      channel<item> of(capacity);
      if (capacity == 1) {
        EXPECT_EQ(of.send(made(9)), done);
      }
      item mine[3] = {made(0), made(1), made(2)};
      std::vector<join_handle<channel_status>> senders;
      for (int i = 0; i < 3; ++i) {
        senders.push_back(
            spawn([&, i] { return i == 0 ? of.send(std::move(mine[i])) : of.send(std::move(mine[i]), 1h); }));
      }
      sleep_for(1ms);
      of.close();
      for (auto& each : senders) EXPECT_EQ(each.join(), closed);
      for (const item& each : mine) EXPECT_NE(each, nullptr);
      if (capacity == 1) {
        EXPECT_EQ(**of.receive(), 9);
      }  // drained, then closed
      EXPECT_EQ(of.receive(), std::nullopt);
    }
  });
}

TEST_P(Channel, SendersThatWaitAreServedInOrder) {
  run(chosen, [] {
    for (const std::size_t capacity : {0U, 2U}) {
      channel<int> of(capacity), begins(1);
      counter ended;
      for (int i = 0; i < 10; ++i) {
        spawn_with_counter(ended, [&, i] {
          EXPECT_EQ(begins.send(i), done);
          EXPECT_EQ(of.send(i), done);
        });
        EXPECT_EQ(begins.receive(), i);  // on one worker the sender waits then
      }
      std::vector<int> got;
      for (int i = 0; i < 10; ++i) got.push_back(*of.receive());
      EXPECT_EQ(got.size(), 10U);
      if (this_fiber::worker_count() == 1) {
        EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
      }
      wait_for_counter(ended);
    }
  });
}

TEST_P(Channel, BetweenFibersAndThreads) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{3}, channel<item>::unbounded}) {
    channel<item> there(capacity), back(capacity);
    std::thread outside([&] {
      for (item& each : there) {
        ++*each;
        EXPECT_EQ(back.send(std::move(each)), done);
      }
      back.close();
    });
    run(chosen, [&] {
      auto producer = spawn([&] {
        for (int i = 0; i < 300; ++i) EXPECT_EQ(there.send(made(i)), done);
        there.close();
      });
      int next = 1;
      for (item& each : back) EXPECT_EQ(*each, next++);
      EXPECT_EQ(next, 301);
      producer.join();
    });
    outside.join();
  }
}

// Who has got the last item, or learnt that there is none, may destroy the channel at once.
TEST_P(Channel, MayBeDestroyedWhileOthersStillReturn) {
  run(chosen, [] {
    for (int round = 0; round < static_cast<int>(test::repetitions(500)); ++round) {
      auto of = std::make_unique<channel<int>>(static_cast<std::size_t>(round % 2));
      channel<int>& shared = *of;
      auto sender = spawn([&shared] { EXPECT_EQ(shared.send(1), done); });
      EXPECT_EQ(shared.receive(), 1);
      of.reset();
      sender.join();

      auto to_close = std::make_unique<channel<int>>();
      channel<int>& ends = *to_close;
      auto closer = spawn([&ends] { ends.close(); });
      EXPECT_EQ(ends.receive(), std::nullopt);
      to_close.reset();
      closer.join();
    }
  });
}

TEST_P(Channel, LoopsShareTheItems) {
  run(chosen, [] {
    channel<int> of(5);
    std::vector<join_handle<long>> consumers;
    for (int i = 0; i < 4; ++i) {
      consumers.push_back(spawn([&] {
        long sum = 0;
        for (const int each : of) sum += each;
        return sum;
      }));
    }
    for (int i = 1; i <= 1000; ++i) EXPECT_EQ(of.send(i), done);
    of.close();
    long sum = 0;
    for (auto& each : consumers) sum += each.join();
    EXPECT_EQ(sum, 500'500);
  });
}

}  // namespace
}  // namespace ramie
