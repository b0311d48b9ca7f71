// sender and receiver: when the last handle of one side is gone, the other side learns it.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/channel_ends.hpp>
#include <ramie/sync/select.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;
using enum channel_status;

class ChannelEnds : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, ChannelEnds, ::testing::Values(1U, 2U, 4U));

TEST(ChannelEndsAlone, TheLastSenderCloses_DrainedFirst) {
  auto [to, from] = make_channel<int>(3);
  sender<int> other = to;
  EXPECT_EQ(to.send(1), done);
  to.reset();
  EXPECT_FALSE(to);
  EXPECT_THROW(static_cast<void>(to.send(2)), misuse);
  EXPECT_EQ(other.send(2), done);
  other = sender<int>();
  EXPECT_EQ(from.receive(), 1);
  EXPECT_EQ(*from.receive(1h), 2);
  EXPECT_EQ(from.receive(), std::nullopt);
  EXPECT_EQ(from.try_receive().status(), closed);
}

TEST(ChannelEndsAlone, TheLastReceiverRefusesSends_AndDestroysWhatIsLeft) {
  const auto counted = std::make_shared<int>(0);
  auto [to, from] = make_channel<std::shared_ptr<int>>(3);
  EXPECT_EQ(to.send(counted), done);
  EXPECT_EQ(counted.use_count(), 2);
  {
    const receiver<std::shared_ptr<int>> last = std::move(from);
    EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move)
  }
  EXPECT_EQ(counted.use_count(), 1);
  EXPECT_EQ(to.send(counted), closed);
  EXPECT_EQ(to.try_send(counted), closed);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_P(ChannelEnds, WaitersOfTheOtherSideLearnIt) {
  run(chosen, [] {
    for (int i = 0; i < 100; ++i) {
      auto [to, from] = make_channel<int>();
      auto waiter = spawn([from = std::move(from)] { return from.receive().has_value(); });
      if (i % 2 == 0) yield();
      to.reset();
      EXPECT_FALSE(waiter.join());

      auto [to_nobody, nobody] = make_channel<std::unique_ptr<int>>(static_cast<std::size_t>(i % 3));
      auto refused = spawn([to = std::move(to_nobody)] {
        for (int sent = 0;; ++sent) {
          auto item = std::make_unique<int>(sent);
          if (to.send(std::move(item)) == done) continue;
          EXPECT_NE(item, nullptr);  // NOLINT(bugprone-use-after-move)
          return sent;
        }
      });
      if (i % 2 == 0) yield();
      nobody.reset();
      EXPECT_LE(refused.join(), i % 3);
    }
  });
}

TEST_P(ChannelEnds, AProducerThatThrowsClosesItsChannel) {
  run(chosen, [] {
    auto [to, from] = make_channel<int>();
    auto producer = spawn([to = std::move(to)] {
      EXPECT_EQ(to.send(1), done);
      throw std::runtime_error("no more");
    });
    int sum = 0;
    for (const int each : from) sum += each;
    EXPECT_EQ(sum, 1);
    EXPECT_THROW(producer.join(), std::runtime_error);
  });
}

TEST_P(ChannelEnds, InASelect) {
  run(chosen, [] {
    auto [to, from] = make_channel<int>(1);
    EXPECT_EQ(select(on_send(to, 4, [](channel_status how) { EXPECT_EQ(how, done); })), 0U);
    EXPECT_EQ(select(on_send(to, 5, [](channel_status) {}), after(1ms)), 1U);
    std::optional<int> got;
    EXPECT_EQ(select(on_receive(from, got), after(1h)), 0U);
    EXPECT_EQ(got, 4);
    auto waiter = spawn([from = from] {
      bool open = true;
      select(on_receive(from, [&](std::optional<int> item) { open = item.has_value(); }), after(1h));
      return open;
    });
    yield();
    to.reset();
    EXPECT_FALSE(waiter.join());
  });
}

TEST_P(ChannelEnds, Stress_HandlesThatComeAndGo) {
  for (const std::uint64_t seed : test::seeds(3)) {
    const auto alive = std::make_shared<int>(0);
    run(chosen, [&] {
      random_source random(seed);
      for (int round = 0; round < static_cast<int>(test::repetitions(100)); ++round) {
        auto [to, from] = make_channel<std::shared_ptr<int>>(random.below(4));
        counter ended;
        std::atomic<int> sent{0}, got{0};
        const unsigned senders = 1 + random.below(4), receivers = 1 + random.below(4);
        for (unsigned i = 0; i < senders; ++i) {
          spawn_with_counter(ended, [&, to = to, items = random.below(20)] {
            for (unsigned k = 0; k < items && to.send(alive) == done; ++k) ++sent;
          });
        }
        bool one_stays = false;
        for (unsigned i = 0; i < receivers; ++i) {
          const unsigned items = random.below(2) == 0 ? 1000 : random.below(20);
          one_stays = one_stays || items == 1000;
          spawn_with_counter(ended, [&, from = from, items] {
            for (unsigned k = 0; k < items && from.receive(); ++k) ++got;
          });
        }
        to.reset();
        from.reset();
        wait_for_counter(ended);
        EXPECT_TRUE(one_stays ? got.load() == sent.load() : got.load() <= sent.load()) << "seed " << seed;
      }
    });
    EXPECT_EQ(alive.use_count(), 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ramie
