// The event count by itself, in one thread; its races are the model checker's and the storm's business.
#include <support/eventually.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/sleep_gate.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using gate = detail::sleep_gate<std_provider>;

class SleepGate : public ::testing::Test {
 protected:
  std::vector<unsigned> interrupted;
  auto interrupt() {
    return [this](unsigned worker) { interrupted.push_back(worker); };
  }
};

TEST_F(SleepGate, NobodySleeps_NobodyIsWoken) {
  gate of(4);
  EXPECT_FALSE(of.notify(interrupt()));
  EXPECT_TRUE(interrupted.empty());
}

TEST_F(SleepGate, OneIsWoken_AndSearchesFromThenOn) {
  gate of(4);
  of.announce_sleep(2, false);
  EXPECT_EQ(of.counts().sleeping(), 1U);
  EXPECT_TRUE(of.notify(interrupt()));
  EXPECT_EQ(interrupted, std::vector<unsigned>{2});
  EXPECT_EQ(of.counts().sleeping(), 0U);
  EXPECT_EQ(of.counts().searching(), 1U);
}

TEST_F(SleepGate, WhileOneSearches_NoOtherIsWoken) {
  gate of(4);
  of.announce_sleep(1, false);
  of.announce_sleep(2, false);
  EXPECT_TRUE(of.notify(interrupt()));
  EXPECT_FALSE(of.notify(interrupt()));
  EXPECT_EQ(interrupted, std::vector<unsigned>{2});  // the last to fall asleep
  EXPECT_TRUE(of.stop_searching());                  // it was the last searcher and another sleeps
  EXPECT_TRUE(of.notify(interrupt()));
  EXPECT_EQ(interrupted, (std::vector<unsigned>{2, 1}));
}

TEST_F(SleepGate, AtMostHalfOfTheWorkersSearch) {
  gate of(5);
  EXPECT_TRUE(of.start_searching());
  EXPECT_TRUE(of.start_searching());
  EXPECT_FALSE(of.start_searching());
  EXPECT_FALSE(of.stop_searching());  // another one still searches
  EXPECT_TRUE(of.start_searching());
  gate alone(1);
  EXPECT_TRUE(alone.start_searching());
  EXPECT_FALSE(alone.stop_searching());  // the last one, but nobody sleeps
}

TEST_F(SleepGate, ASleeperMayChangeItsMind_UnlessItWasChosen) {
  gate of(2);
  ASSERT_TRUE(of.start_searching());
  of.announce_sleep(0, true);
  EXPECT_EQ(of.counts().searching(), 0U);
  EXPECT_EQ(of.retract_sleep(0), detail::retraction::done);
  EXPECT_EQ(of.counts().searching(), 1U);
  EXPECT_EQ(of.counts().sleeping(), 0U);
  of.announce_sleep(0, true);
  EXPECT_TRUE(of.notify(interrupt()));
  EXPECT_EQ(of.retract_sleep(0), detail::retraction::already_chosen);
  EXPECT_EQ(of.counts().searching(), 1U);
}

TEST_F(SleepGate, NotifyAll_WakesEverySleeperOnce) {
  gate of(6);
  for (unsigned worker = 0; worker < 5; ++worker) of.announce_sleep(worker, false);
  of.notify_all(interrupt());
  EXPECT_EQ(interrupted, (std::vector<unsigned>{0, 1, 2, 3, 4}));
  EXPECT_EQ(of.counts().sleeping(), 0U);
  EXPECT_EQ(of.counts().searching(), 5U);
}

TEST(FutexIdleDriver, AnInterruptBeforeTheWait_IsNotLost) {
  futex_idle_driver<> driver;
  driver.interrupt();
  driver.interrupt();  // idempotent
  driver.wait(std::nullopt);
  const auto begin = std::chrono::steady_clock::now();
  driver.wait(begin + std::chrono::milliseconds(20));  // only one was kept
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(19));
}

TEST(FutexIdleDriver, ADeadlineThatHasPassed_ReturnsAtOnce) {
  futex_idle_driver<> driver;
  const auto begin = std::chrono::steady_clock::now();
  driver.wait(begin - 2 * test::patience);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::patience);
}

TEST(FutexIdleDriver, AnInterruptFromAnotherThread_EndsTheWait) {
  futex_idle_driver<> driver;
  int plain = 0;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    plain = 1;
    driver.interrupt();
  });
  driver.wait(std::nullopt);
  EXPECT_EQ(plain, 1);
  other.join();
}

}  // namespace
}  // namespace ramie
