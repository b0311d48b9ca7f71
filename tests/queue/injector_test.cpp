#include <ramie/queue/injector.hpp>

#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace ramie::queue {
namespace {

struct node {
  node* next = nullptr;
  int value = 0;
  int taken = 0;
};

std::vector<node> numbered(int count) {
  std::vector<node> nodes(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) nodes[static_cast<std::size_t>(i)].value = i;
  return nodes;
}

void link(std::span<node> chain) {
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i].next = &chain[i + 1];
}

TEST(Injector, Empty_GivesNothing) {
  injector<node> in;
  std::array<node*, 4> out{};
  EXPECT_EQ(in.size(), 0U);
  EXPECT_EQ(in.pop_batch(out), 0U);
}

TEST(Injector, Order_OldestFirst_SinglesAndChains) {
  auto nodes = numbered(100);
  injector<node> in;
  for (std::size_t i = 0; i < 10; ++i) in.push(&nodes[i]);
  link(std::span(nodes).subspan(10, 50));
  in.push_chain(&nodes[10], &nodes[59], 50);
  for (std::size_t i = 60; i < 100; ++i) in.push(&nodes[i]);
  EXPECT_EQ(in.size(), 100U);
  std::array<node*, 7> out{};
  int expected = 0;
  while (const std::size_t count = in.pop_batch(out)) {
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i]->value, expected++);
    EXPECT_EQ(in.size(), 100U - static_cast<std::size_t>(expected));
  }
  EXPECT_EQ(expected, 100);
}

TEST(Injector, Batch_TakesNoMoreThanThereIsRoomFor) {
  auto nodes = numbered(5);
  injector<node> in;
  for (node& each : nodes) in.push(&each);
  std::array<node*, 8> out{};
  EXPECT_EQ(in.pop_batch(std::span(out).first(0)), 0U);
  EXPECT_EQ(in.pop_batch(std::span(out).first(3)), 3U);
  EXPECT_EQ(in.pop_batch(out), 2U);
  EXPECT_EQ(in.size(), 0U);
  in.push(&nodes[0]);  // after it has been emptied
  EXPECT_EQ(in.pop_batch(out), 1U);
}

// The end of a chain is what it says, whatever its last node's link held before.
TEST(Injector, Chain_EndsWhereItSays) {
  auto nodes = numbered(3);
  link(nodes);
  injector<node> in;
  in.push_chain(&nodes[0], &nodes[1], 2);  // nodes[1].next still names nodes[2]
  std::array<node*, 8> out{};
  EXPECT_EQ(in.pop_batch(out), 2U);
  EXPECT_EQ(in.pop_batch(out), 0U);
}

TEST(Injector, Stress_EachNodeTakenOnce_InTheOrderOfItsPusher) {
  constexpr int pushers = 2, poppers = 2;
  constexpr int each_pushes = RAMIE_TSAN || RAMIE_ASAN ? 5'000 : 200'000;
  for (const std::uint64_t seed : ramie::test::seeds(2)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    injector<node> in;
    std::array<std::vector<node>, pushers> nodes{numbered(each_pushes), numbered(each_pushes)};
    std::atomic<int> taken{0}, wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < pushers; ++p) {
      threads.emplace_back([&, p] {
        for (std::size_t i = 0; i < each_pushes;) {
          const std::size_t length = std::min<std::size_t>(1 + (i * 7 + seed) % 5, each_pushes - i);
          link(std::span(nodes[p]).subspan(i, length));
          in.push_chain(&nodes[p][i], &nodes[p][i + length - 1], length);
          i += length;
        }
      });
    }
    for (int p = 0; p < poppers; ++p) {
      threads.emplace_back([&] {
        std::array<node*, 6> out{};
        std::array<int, pushers> last{-1, -1};
        while (taken.load() < pushers * each_pushes) {
          const std::size_t count = in.pop_batch(out);
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t from = out[i] >= nodes[0].data() && out[i] <= &nodes[0].back() ? 0 : 1;
            if (++out[i]->taken != 1 || out[i]->value <= last[from]) wrong.fetch_add(1);
            last[from] = out[i]->value;
          }
          taken.fetch_add(static_cast<int>(count));
          if (count == 0) std::this_thread::yield();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(taken.load(), pushers * each_pushes);
    EXPECT_EQ(in.size(), 0U);
  }
}

// The promise on which sleeping rests: after a push, and until somebody takes, the size is not zero.
TEST(Injector, Size_IsNeverZero_WhileAPushThatHappenedBeforeIsThere) {
  auto nodes = numbered(5);
  injector<node> in;
  in.push(&nodes[0]);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    std::array<node*, 4> mine{&nodes[1], &nodes[2], &nodes[3], &nodes[4]};
    while (!stop.load()) {
      for (node* const each : mine) in.push(each);
      if (in.pop_batch(mine) != mine.size()) std::abort();
    }
  });
  int zeros = 0;
  for (int i = 0; i < 200'000; ++i) zeros += in.size() == 0 ? 1 : 0;
  stop = true;
  busy.join();
  EXPECT_EQ(zeros, 0);
}

}  // namespace
}  // namespace ramie::queue
