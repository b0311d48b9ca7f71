// The part of the list of forks that the model checker cannot see: how long a thread waits.
#include <support/eventually.hpp>

#include <ramie/scheduler/fork_list.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace ramie {
namespace {

struct counting_provider : std_provider {
  static inline std::atomic<int> yields{0};
  static void yield_thread() noexcept {
    ++yields;
    std_provider::yield_thread();
  }
};

struct frame {
  std::atomic<frame*> older{nullptr};
};

// The thief may have lost its processor, to the owner perhaps.
TEST(ForkList, AnOwnerThatWaitsForAThief_GivesItsProcessorAway) {
  detail::fork_list<frame, counting_provider> list;
  frame only;
  list.push(only);
  std::atomic<bool> holds{false};
  bool gave_way = false;
  std::thread thief([&] {
    list.steal_oldest([&](frame&) {
      holds = true;
      gave_way = static_cast<bool>(
          test::eventually("the owner gives way", [] { return counting_provider::yields.load() > 0; }));
    });
  });
  EXPECT_TRUE(test::eventually("the thief holds the list", [&] { return holds.load(); }));
  if (!list.pop(only)) {
    decltype(list)::owner_lock held(list);
    EXPECT_FALSE(held.pop(only));
  }
  thief.join();
  EXPECT_TRUE(gave_way);
}

}  // namespace
}  // namespace ramie
