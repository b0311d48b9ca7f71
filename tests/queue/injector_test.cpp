#include <ramie/queue/injector.hpp>

#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <span>
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

using bundle_of_nodes = bundle<node>;
using batch = std::array<node*, bundle_capacity>;

/// Bundles of `each` of the nodes, linked.
std::vector<bundle_of_nodes> bundled(std::span<node> nodes, std::size_t each) {
  std::vector<bundle_of_nodes> bundles((nodes.size() + each - 1) / each);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    bundle_of_nodes& to = bundles[i / each];
    to.items[to.count++] = &nodes[i];
  }
  for (std::size_t i = 0; i + 1 < bundles.size(); ++i) bundles[i].next = &bundles[i + 1];
  return bundles;
}

TEST(Injector, Empty_GivesNothing) {
  injector<node> in;
  batch out{};
  EXPECT_EQ(in.size(), 0U);
  EXPECT_EQ(in.pop_batch(out, out.size()), 0U);
}

TEST(Injector, Order_OldestFirst_AmongSinglesAndAmongBundles) {
  auto singles = numbered(100);
  auto crowd = numbered(300);
  auto bundles = bundled(crowd, bundle_capacity);
  injector<node> in;
  for (node& each : std::span(singles).first(60)) in.push(&each);
  std::vector<node*> together;
  for (node& each : std::span(singles).subspan(60)) together.push_back(&each);
  in.push(together);
  in.push(&bundles.front(), &bundles.back());
  EXPECT_EQ(in.size(), 400U);
  batch out{};
  int next_single = 0;
  int next_of_crowd = 0;
  while (const std::size_t count = in.pop_batch(out, 7)) {
    const bool single = out[0] >= singles.data() && out[0] <= &singles.back();
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i]->value, single ? next_single++ : next_of_crowd++);
    EXPECT_EQ(in.size(), static_cast<std::size_t>(400 - next_single - next_of_crowd));
  }
  EXPECT_EQ(next_single, 100);
  EXPECT_EQ(next_of_crowd, 300);
}

TEST(Injector, Turns_NeitherSinglesNorBundlesWaitForTheOthersToEnd) {
  auto singles = numbered(10);
  auto crowd = numbered(10);
  auto bundles = bundled(crowd, 1);
  injector<node> in;
  for (node& each : singles) in.push(&each);
  in.push(&bundles.front(), &bundles.back());
  batch out{};
  int of_singles = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(in.pop_batch(out, 1), 1U);
    of_singles += out[0] >= singles.data() && out[0] <= &singles.back() ? 1 : 0;
  }
  EXPECT_EQ(of_singles, 5);
}

TEST(Injector, Batch_TakesNoMoreSinglesThanAskedFor) {
  auto nodes = numbered(5);
  injector<node> in;
  for (node& each : nodes) in.push(&each);
  batch out{};
  EXPECT_EQ(in.pop_batch(out, 0), 0U);
  EXPECT_EQ(in.pop_batch(out, 3), 3U);
  EXPECT_EQ(in.pop_batch(out, 8), 2U);
  EXPECT_EQ(in.size(), 0U);
  in.push(&nodes[0]);  // after it has been emptied
  EXPECT_EQ(in.pop_batch(out, 8), 1U);
}

// The end of a list of bundles is what the pusher says, whatever the last one's link held before.
TEST(Injector, Bundles_EndWhereTheyAreSaidTo) {
  auto nodes = numbered(3);
  auto bundles = bundled(nodes, 1);
  injector<node> in;
  in.push(&bundles[0], &bundles[1]);  // bundles[1].next still names bundles[2]
  batch out{};
  EXPECT_EQ(in.size(), 2U);
  EXPECT_EQ(in.pop_batch(out, 8), 1U);
  EXPECT_EQ(in.pop_batch(out, 8), 1U);
  EXPECT_EQ(in.pop_batch(out, 8), 0U);
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
    // One pusher pushes singles, the other bundles of 1 to 5, one or two at a time.
    std::vector<std::vector<bundle_of_nodes>> kept;
    kept.reserve(each_pushes);
    threads.emplace_back([&] {
      for (node& each : nodes[0]) in.push(&each);
    });
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < each_pushes;) {
        const std::size_t length = std::min<std::size_t>(1 + (i * 7 + seed) % 10, each_pushes - i);
        kept.push_back(bundled(std::span(nodes[1]).subspan(i, length), 5));
        in.push(&kept.back().front(), &kept.back().back());
        i += length;
      }
    });
    for (int p = 0; p < poppers; ++p) {
      threads.emplace_back([&] {
        batch out{};
        std::array<int, pushers> last{-1, -1};
        while (taken.load() < pushers * each_pushes) {
          const std::size_t count = in.pop_batch(out, 6);
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
    batch mine{&nodes[1], &nodes[2], &nodes[3], &nodes[4]};
    while (!stop.load()) {
      for (node* const each : std::span(mine).first(4)) in.push(each);
      if (in.pop_batch(mine, 4) != 4) std::abort();
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
