// channel under storms: every item is with exactly one party, whatever ends the calls.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/channel.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

// One for each number: where the item is.
enum class place : int { nowhere, kept, received };

class storm {
 public:
  storm(std::uint64_t seed, std::size_t capacity, int senders, int items)
      : m_seed(seed),
        m_channel(capacity),
        m_items(items),
        m_places(static_cast<std::size_t>(senders) * static_cast<std::size_t>(items)),
        m_senders_left(senders) {}

  // As one of the senders: sends all of its items, whatever comes in between, and keeps those that were refused.
  void send_all(int who) {
    random_source random(m_seed * 1000 + static_cast<std::uint64_t>(who));
    for (int i = 0; i < m_items; ++i) {
      const int number = who * m_items + i;
      auto item = std::make_unique<int>(number);
      channel_status how = attempt(
          random, [&](auto&&... limits) { return m_channel.send(std::move(item), limits...); },
          [&] { return m_channel.try_send(std::move(item)); });
      if (how == channel_status::done) {
        if (item != nullptr) ++m_faults;  // NOLINT(bugprone-use-after-move): that is the question
      } else if (item == nullptr || *item != number || !move_to(place::kept, number)) {
        ++m_faults;
      }
    }
    if (m_senders_left.fetch_sub(1) == 1) m_channel.close();
  }

  void receive_all(int who) {
    random_source random(m_seed * 2000 + static_cast<std::uint64_t>(who));
    for (;;) {
      std::optional<std::unique_ptr<int>> item;
      channel_status how = channel_status::done;
      static_cast<void>(attempt(
          random,
          [&](auto&&... limits) {
            if constexpr (sizeof...(limits) == 0) {
              item = m_channel.receive();
              how = item ? channel_status::done : channel_status::closed;
            } else {
              auto got = m_channel.receive(limits...);
              how = got.status();
              item = std::move(got);
            }
            return how;
          },
          [&] {
            auto got = m_channel.try_receive();
            how = got.status();
            item = std::move(got);
            return how;
          }));
      if (item.has_value() != (how == channel_status::done)) ++m_faults;
      if (item && (*item == nullptr || !move_to(place::received, **item))) ++m_faults;
      if (how == channel_status::closed) return;
      if (how == channel_status::empty && worker::current() != nullptr) yield();
    }
  }

  void close() { m_channel.close(); }

  void check() {
    EXPECT_EQ(m_faults.load(), 0) << "seed " << m_seed;
    for (const auto& each : m_places) {
      if (each.load() == static_cast<int>(place::nowhere)) {
        FAIL() << "an item is nowhere; seed " << m_seed;
      }
    }
  }

 private:
  template <class Call, class Try>
  channel_status attempt(random_source& random, Call&& call, Try&& at_once) {
    switch (random.below(5)) {
      case 0: return at_once();
      case 1: return call(wait_limits(std::chrono::microseconds(random.below(200))));
      case 2: {
        std::stop_source stop;
        auto canceller = cancel_soon(stop, random.below(3));
        const channel_status how = call(wait_limits(stop.get_token()));
        canceller();
        return how;
      }
      case 3: return call(wait_limits(1h));
      default: return call();
    }
  }
  // From another fiber, or at once.
  std::function<void()> cancel_soon(std::stop_source& stop, unsigned yields) {
    if (worker::current() == nullptr) {
      auto other = std::make_shared<std::thread>([&stop, yields] {
        for (unsigned i = 0; i < yields; ++i) std::this_thread::yield();
        stop.request_stop();
      });
      return [other] { other->join(); };
    }
    auto other = std::make_shared<join_handle<void>>(spawn([&stop, yields] {
      for (unsigned i = 0; i < yields; ++i) yield();
      stop.request_stop();
    }));
    return [other] { other->join(); };
  }
  bool move_to(place where, int number) {
    int before = static_cast<int>(place::nowhere);
    return m_places[static_cast<std::size_t>(number)].compare_exchange_strong(before, static_cast<int>(where));
  }

  const std::uint64_t m_seed;
  channel<std::unique_ptr<int>> m_channel;
  const int m_items;
  std::vector<std::atomic<int>> m_places;
  std::atomic<int> m_senders_left;
  std::atomic<int> m_faults{0};
};

class ChannelStress : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, ChannelStress, ::testing::Values(1U, 2U, 4U));

TEST_P(ChannelStress, EachItemIsWithOneParty) {
  for (const std::uint64_t seed : test::seeds(3)) {
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{5}, SIZE_MAX}) {
      random_source random(seed);
      const int senders = 1 + static_cast<int>(random.below(4)), receivers = 1 + static_cast<int>(random.below(4));
      storm of(seed, capacity, senders + 1, 100);
      std::thread outside_sender([&] { of.send_all(senders); });
      std::thread outside_receiver([&] { of.receive_all(receivers); });
      run(chosen, [&] {
        counter ended;
        for (int i = 0; i < senders; ++i) spawn_with_counter(ended, [&, i] { of.send_all(i); });
        for (int i = 0; i < receivers; ++i) spawn_with_counter(ended, [&, i] { of.receive_all(i); });
        if (random.below(3) == 0) {
          spawn_with_counter(ended, [&, pause = random.below(3)] {
            sleep_for(std::chrono::milliseconds(pause));
            of.close();
          });
        }
        wait_for_counter(ended);
      });
      outside_sender.join();
      outside_receiver.join();
      of.check();
    }
  }
}

// Fibers of one worker for a while, and then of several: the lock has an owner, and then none.
TEST_P(ChannelStress, TheWorkerThatHadItForItselfLosesIt) {
  run(chosen, [] {
    for (int round = 0; round < static_cast<int>(test::repetitions(20)); ++round) {
      channel<int> of(round % 2 == 0 ? 0 : 10);
      auto pass = [&](int items) {
        auto producer = spawn([&] {
          for (int i = 0; i < items; ++i) EXPECT_EQ(of.send(i), channel_status::done);
        });
        long sum = 0;
        for (int i = 0; i < items; ++i) sum += *of.receive();
        producer.join();
        EXPECT_EQ(sum, static_cast<long>(items) * (items - 1) / 2);
      };
      pass(1000);
      std::thread other([&] {
        for (int i = 0; i < 500; ++i) EXPECT_EQ(of.send(i), channel_status::done);
      });
      auto fibers = spawn([&] {
        for (int i = 0; i < 500; ++i) EXPECT_EQ(of.send(i), channel_status::done);
      });
      long sum = 0;
      for (int i = 0; i < 1000; ++i) sum += *of.receive();
      EXPECT_EQ(sum, 2 * 124'750L);
      other.join();
      fibers.join();
      pass(1000);
    }
  });
}

}  // namespace
}  // namespace ramie
