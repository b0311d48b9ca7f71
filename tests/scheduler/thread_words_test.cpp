// The words on which kernel threads meet: start signal, park word, foreign callers.
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/start_signal.hpp>

#include "scheduler/foreign_callers.hpp"

#include <support/narrow_provider.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::narrow_provider;

TEST(StartSignal, NobodyStarts_BeforeItIsGiven_AndItCanBeGivenAgain) {
  detail::start_signal<narrow_provider> signal;
  for (const bool go : {true, false, true}) {
    signal.reset();
    bool given = false;
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        EXPECT_EQ(signal.wait(), go);
        EXPECT_TRUE(given);
        ++answered;
      });
    }
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(answered, 0);
    given = true;
    go ? signal.go() : signal.give_up();
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(signal.wait(), go);  // a later waiter does not wait
  }
}

TEST(ParkWord, AnUnparkBeforeThePark_IsNotLost) {
  detail::park_word<narrow_provider> word;
  for (int i = 0; i < 3; ++i) {
    word.unpark();
    word.park();
  }
}

TEST(ParkWord, SleepsUntilItsTurn_EachTime) {
  detail::park_word<narrow_provider> ping;
  detail::park_word<narrow_provider> pong;
  int turn = 0;
  std::thread other([&] {
    for (int i = 0; i < 1'000; ++i) {
      ping.park();
      EXPECT_EQ(turn++, 2 * i);
      pong.unpark();
    }
  });
  for (int i = 0; i < 1'000; ++i) {
    ping.unpark();
    pong.park();
    EXPECT_EQ(turn++, 2 * i + 1);
  }
  other.join();
}

TEST(Strangers, TheOwnerWaits_UntilTheLastHasLeft) {
  for (int round = 0; round < 100; ++round) {
    auto inside = std::make_unique<detail::foreign_callers<narrow_provider>>();
    int touched = 0;
    inside->enter();
    std::thread stranger([&] {
      touched = 1;
      inside->leave();
    });
    inside->wait_until_gone();
    EXPECT_EQ(touched, 1);
    stranger.join();
    inside.reset();
  }
}

}  // namespace
}  // namespace ramie
