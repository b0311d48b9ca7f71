// Tests of the growing deque.
#include <ramie/queue/chase_lev.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ramie::queue {
namespace {

std::atomic<std::ptrdiff_t> g_allocated{0};
std::atomic<int> g_allocations{0};
std::atomic<bool> g_refuse{false};

struct counting_provider : std_provider {
  static void* allocate(std::size_t size, std::size_t alignment) {
    if (g_refuse) throw std::bad_alloc();
    g_allocated += static_cast<std::ptrdiff_t>(size);
    ++g_allocations;
    return std_provider::allocate(size, alignment);
  }
  static void deallocate(void* pointer, std::size_t size, std::size_t alignment) noexcept {
    g_allocated -= static_cast<std::ptrdiff_t>(size);
    std_provider::deallocate(pointer, size, alignment);
  }
};
using counted = chase_lev<std::int64_t, counting_provider>;

TEST(ChaseLev, Growth_KeepsItemsAndOrder) {
  chase_lev<std::int64_t> queue(2);
  for (std::int64_t i = 0; i < 10'000; ++i) ASSERT_TRUE(queue.push_bottom(i));
  EXPECT_EQ(queue.size(), 10'000U);
  for (std::int64_t i = 0; i < 5'000; ++i) ASSERT_EQ(queue.pop_top().item, i);
  for (std::int64_t i = 9'999; i >= 5'000; --i) ASSERT_EQ(queue.pop_bottom(), i);
}

// The items lie across the end of the ring when it grows.
TEST(ChaseLev, Growth_OfAWrappedRing_KeepsItems) {
  for (std::int64_t offset = 0; offset < 16; ++offset) {
    chase_lev<std::int64_t> queue(8);
    for (std::int64_t i = 0; i < offset; ++i) {
      ASSERT_TRUE(queue.push_bottom(-1));
      ASSERT_EQ(queue.pop_top().item, -1);
    }
    for (std::int64_t i = 0; i < 40; ++i) ASSERT_TRUE(queue.push_bottom(i));
    for (std::int64_t i = 0; i < 40; ++i) ASSERT_EQ(queue.pop_top().item, i) << "offset " << offset;
  }
}

TEST(ChaseLev, Growth_OnlyWhenFull_AndEverythingIsFreed) {
  g_allocations = 0;
  {
    counted queue(64);
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 64; ++i) ASSERT_TRUE(queue.push_bottom(i));
      for (int i = 0; i < 64; ++i)
        ASSERT_TRUE(i % 2 != 0 ? queue.pop_bottom().has_value() : queue.pop_top().status == steal_status::item);
    }
    EXPECT_EQ(g_allocations, 1);
    for (int i = 0; i < 65; ++i) ASSERT_TRUE(queue.push_bottom(i));
    EXPECT_EQ(g_allocations, 2);
  }
  EXPECT_EQ(g_allocated, 0);
}

TEST(ChaseLev, Growth_ThatGetsNoMemory_ThrowsAndChangesNothing) {
  counted queue(4);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push_bottom(i));
  g_refuse = true;
  EXPECT_THROW(queue.push_bottom(4), std::bad_alloc);
  EXPECT_EQ(queue.size(), 4U);
  g_refuse = false;
  EXPECT_TRUE(queue.push_bottom(5));
  EXPECT_EQ(queue.pop_bottom(), 5);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.pop_top().item, i);
}

TEST(ChaseLev, Growth_WhileThievesSteal_LosesNothing) {
  constexpr int repetitions = RAMIE_TSAN || RAMIE_ASAN ? 20 : 200;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    constexpr std::int64_t count = 500;
    chase_lev<std::int64_t> queue(2);
    std::vector<std::atomic<int>> taken(count);
    std::atomic<bool> pushed_all{false};
    std::vector<std::thread> thieves;
    for (int t = 0; t < 2; ++t) {
      thieves.emplace_back([&] {
        for (;;) {
          const bool last_look = pushed_all.load(std::memory_order_acquire);
          const auto got = queue.pop_top();
          if (got.status == steal_status::item) taken[static_cast<std::size_t>(got.item)].fetch_add(1);
          if (got.status == steal_status::empty && last_look) return;
        }
      });
    }
    for (std::int64_t i = 0; i < count; ++i) ASSERT_TRUE(queue.push_bottom(i));
    pushed_all.store(true, std::memory_order_release);
    for (std::thread& each : thieves) each.join();
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(taken[i].load(), 1) << "item " << i;
  }
}

}  // namespace
}  // namespace ramie::queue
