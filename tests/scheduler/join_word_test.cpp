// Every way in which a completion and its handle can meet.
#include <ramie/scheduler/join_word.hpp>

#include <support/narrow_provider.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace ramie {
namespace {

struct waiter {
  int woken = 0;
};
using word = detail::join_word<waiter, test::narrow_provider>;
constexpr auto wake = [](waiter& sleeping) { ++sleeping.woken; };

TEST(JoinWord, CompletionFirst_NobodyIsWoken_AndNobodyWaits) {
  word task;
  waiter joiner;
  EXPECT_FALSE(task.is_done());
  EXPECT_FALSE(task.complete(wake));
  EXPECT_TRUE(task.is_done());
  EXPECT_FALSE(task.set_waiter(joiner));
  EXPECT_EQ(joiner.woken, 0);
}

TEST(JoinWord, WaiterFirst_IsWokenOnce) {
  word task;
  waiter joiner;
  EXPECT_TRUE(task.set_waiter(joiner));
  EXPECT_FALSE(task.is_done());
  EXPECT_FALSE(task.complete(wake));
  EXPECT_EQ(joiner.woken, 1);
  EXPECT_TRUE(task.is_done());
}

TEST(JoinWord, WhoeverComesSecond_FreesADetachedTask) {
  word before;
  EXPECT_FALSE(before.detach());
  EXPECT_TRUE(before.complete(wake));
  word after;
  EXPECT_FALSE(after.complete(wake));
  EXPECT_TRUE(after.detach());
}

TEST(JoinWordDeathTest, TwoJoiners_EndTheProcess) {
  word task;
  waiter first;
  waiter second;
  ASSERT_TRUE(task.set_waiter(first));
  EXPECT_DEATH(static_cast<void>(task.set_waiter(second)), "two waits on one handle");
}

TEST(JoinWord, StressEitherTheWaiterIsWoken_OrItFindsTheMark) {
  for (int round = 0; round < 2'000; ++round) {
    word task;
    waiter joiner;
    int result = 0;
    std::thread runner([&] {
      result = 1;
      EXPECT_FALSE(task.complete(wake));
    });
    const bool waits = task.set_waiter(joiner);
    EXPECT_TRUE(waits || result == 1);
    runner.join();
    EXPECT_EQ(joiner.woken, waits ? 1 : 0);
  }
}

}  // namespace
}  // namespace ramie
