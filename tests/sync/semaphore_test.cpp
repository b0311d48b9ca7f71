// counting_semaphore: as the standard has it, between fibers and threads, with limits.
#include <support/fibers.hpp>

#include <ramie/sync/semaphore.hpp>

#include <gtest/gtest.h>

#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

class Semaphore : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Semaphore, ::testing::Values(1U, 2U, 4U));

TEST(SemaphoreValue, CountsPermits) {
  counting_semaphore<3> of(2);
  static_assert(counting_semaphore<3>::max() == 3 && binary_semaphore::max() == 1);
  EXPECT_TRUE(of.try_acquire());
  EXPECT_TRUE(of.try_acquire());
  EXPECT_FALSE(of.try_acquire());
  of.release(3);
  EXPECT_DEATH(of.release(), "above its max\\(\\) of 3");
  EXPECT_DEATH(of.release(-1), "less than nothing");
  EXPECT_THROW(counting_semaphore<3>(4), misuse);
  EXPECT_THROW(counting_semaphore<3>(-1), misuse);
}

TEST_P(Semaphore, WaitersAreServedInOrder) {
  run(chosen, [] {
    binary_semaphore permit(0), begins(0);
    std::vector<int> order;
    counter done;
    for (int i = 0; i < 10; ++i) {
      spawn_with_counter(done, [&, i] {
        begins.release();
        permit.acquire();
        order.push_back(i);
        permit.release();
      });
      begins.acquire();
      sleep_for(1ms);  // long enough for it to wait, nearly always
    }
    permit.release();
    wait_for_counter(done);
    EXPECT_EQ(order.size(), 10U);
  });
}

TEST_P(Semaphore, BetweenFibersAndThreads) {
  counting_semaphore<> there(0), back(0);
  std::thread outside([&] {
    for (int i = 0; i < 200; ++i) {
      there.acquire();
      back.release();
    }
  });
  run(chosen, [&] {
    for (int i = 0; i < 200; ++i) {
      there.release();
      back.acquire();
    }
  });
  outside.join();
  EXPECT_FALSE(there.try_acquire());
  EXPECT_FALSE(back.try_acquire());
}

TEST_P(Semaphore, GivesNothing_WhereTimeIsOver) {
  run(chosen, [] {
    binary_semaphore of(0);
    EXPECT_FALSE(of.try_acquire_for(1ms));
    EXPECT_FALSE(of.try_acquire_until(std::chrono::steady_clock::now() - 1s));
    std::stop_source stop;
    auto canceller = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(of.acquire(stop.get_token()), wake_reason::cancelled);
    canceller.join();
    of.release();
    EXPECT_TRUE(of.try_acquire_for(1h));
    EXPECT_FALSE(of.try_acquire());
  });
  binary_semaphore of(0);
  EXPECT_FALSE(of.try_acquire_for(1ms));  // on a thread
}

}  // namespace
}  // namespace ramie
