// Tests of the one queue for all.
#include <ramie/queue/global.hpp>

#include <gtest/gtest.h>

#include <support/repetitions.hpp>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace ramie::queue {
namespace {

TEST(Global, HigherPriorityFirst_OldestFirstWithinOne) {
  global<int> queue;
  queue.push(30, priority::low);
  queue.push(20, priority::normal);
  queue.push(10, priority::high);
  EXPECT_TRUE(queue.push_bottom(21));
  queue.push(11, priority::high);
  queue.push(31, priority::low);
  for (const int expected : {10, 11, 20, 21, 30, 31}) {
    EXPECT_EQ(expected % 2 == 0 ? queue.pop_bottom() : queue.pop_top().item, expected);
  }
  EXPECT_EQ(queue.pop_bottom(), std::nullopt);
}

TEST(Global, ABatch_RunsAcrossPriorities) {
  global<int> queue;
  for (int i = 0; i < 3; ++i) queue.push(30 + i, priority::low);
  queue.push(20, priority::normal);
  queue.push(10, priority::high);
  std::array<int, 8> out{};
  ASSERT_EQ(queue.pop_top_batch(out).count, 3U);
  EXPECT_EQ(out[0], 10);
  EXPECT_EQ(out[1], 20);
  EXPECT_EQ(out[2], 30);
  EXPECT_EQ(queue.size(), 2U);
}

// No owner: all push and take, and nobody loses a race.
TEST(Global, Stress_AnyThreadPushesAndTakes) {
  constexpr unsigned threads = 4;
  constexpr std::uint64_t each_pushes = test::sanitized ? 2'000 : 50'000;
  for (const std::uint64_t seed : ramie::test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    global<std::uint64_t> queue;
    std::vector<std::atomic<int>> taken(threads * each_pushes);
    std::atomic<std::uint64_t> lost_races{0};
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < each_pushes; ++i) {
          queue.push(t * each_pushes + i, static_cast<priority>((i + seed) % 3));
          std::array<std::uint64_t, 4> out{};
          const batch_result got = queue.pop_top_batch(std::span(out).first((i + seed) % 5 == 0 ? 4 : 1));
          if (got.status == steal_status::lost_race) lost_races.fetch_add(1);
          for (std::size_t k = 0; k < got.count; ++k) taken[out[k]].fetch_add(1);
        }
      });
    }
    for (std::thread& each : all) each.join();
    while (const auto left = queue.pop_bottom()) taken[*left].fetch_add(1);
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(lost_races.load(), 0U);
    for (std::size_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i].load(), 1) << i;
  }
}

}  // namespace
}  // namespace ramie::queue
