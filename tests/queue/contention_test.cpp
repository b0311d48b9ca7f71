// What every queue promises between an owner and thieves.
#include "kinds.hpp"

#include <support/repetitions.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace ramie::queue::test {
namespace {

template <class Kind>
class WorkQueueContention : public ::testing::Test {};
TYPED_TEST_SUITE(WorkQueueContention, kinds, kind_names);

constexpr int rounds = RAMIE_TSAN || RAMIE_ASAN ? 3'000 : 20'000;

// One item, two who want it: exactly one gets it, and the loser is told the truth.
TYPED_TEST(WorkQueueContention, LastItemRace_OneOfOwnerAndThiefGetsIt) {
  typename TypeParam::template of<int> queue;
  std::atomic<int> round{0}, stolen{0}, answered{0};
  std::thread thief([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (round.load(std::memory_order_acquire) < i) std::this_thread::yield();
      const auto got = queue.pop_top();
      if (got.status == steal_status::item && got.item == i) stolen.fetch_add(1);
      answered.store(i, std::memory_order_release);
    }
  });
  int popped = 0;
  int thief_before = 0;
  for (int i = 1; i <= rounds; ++i) {
    ASSERT_TRUE(queue.push_bottom(i));
    round.store(i, std::memory_order_release);
    for (int delay = i % 64; delay > 0; --delay) std_provider::pause();
    const auto mine = queue.pop_bottom();
    while (answered.load(std::memory_order_acquire) < i) std::this_thread::yield();
    const int thief_got = stolen.load() - thief_before;
    thief_before += thief_got;
    popped += mine.has_value() ? 1 : 0;
    ASSERT_EQ((mine.has_value() ? 1 : 0) + thief_got, 1) << "round " << i;
    if (mine) {
      ASSERT_EQ(*mine, i);
    }
    ASSERT_EQ(queue.size(), 0U);
  }
  thief.join();
  EXPECT_EQ(popped + stolen.load(), rounds);
}

// All want everything at the same moment.
TYPED_TEST(WorkQueueContention, Stampede_EachItemTakenOnce) {
  constexpr unsigned thieves = 3;
  const int waves = 200;
  const auto count = static_cast<int>(std::min<std::size_t>(200, TypeParam::capacity));
  typename TypeParam::template of<int> queue;
  std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
  std::barrier line(thieves + 1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thieves; ++t) {
    threads.emplace_back([&, t] {
      for (int wave = 0; wave < waves; ++wave) {
        line.arrive_and_wait();
        for (;;) {
          std::array<int, 7> out{};
          const batch_result got = t == 0 ? queue.pop_top_batch(out) : queue.pop_top_batch(std::span(out).first(1));
          if (got.status == steal_status::empty) break;
          for (std::size_t i = 0; i < got.count; ++i) taken[static_cast<std::size_t>(out[i])].fetch_add(1);
        }
        line.arrive_and_wait();
      }
    });
  }
  for (int wave = 0; wave < waves; ++wave) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(queue.push_bottom(i));
    line.arrive_and_wait();
    while (const auto mine = queue.pop_bottom()) taken[static_cast<std::size_t>(*mine)].fetch_add(1);
    line.arrive_and_wait();
    for (int i = 0; i < count; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)].exchange(0), 1) << "item " << i;
  }
  for (std::thread& each : threads) each.join();
}

// What the payload holds is written before the push and read after the take, without any atomic of its own: TSan
// reports the missing edge if a queue does not publish, a plain build the torn or stale sum.
struct payload {
  std::uint64_t number = 0;
  std::uint64_t square = 0;
  int times_taken = 0;
};

template <class Kind>
void stress(std::uint64_t seed, unsigned thieves) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", thieves " + std::to_string(thieves));
  constexpr std::uint64_t total = RAMIE_TSAN || RAMIE_ASAN ? 8'000 : 150'000;
  typename Kind::template of<payload*> queue;
  std::vector<payload> items(total);
  std::atomic<std::uint64_t> taken{0}, sum{0}, wrong{0};
  const auto take = [&](payload* one) {
    if (one->square != one->number * one->number || ++one->times_taken != 1) wrong.fetch_add(1);
    sum.fetch_add(one->number);
    taken.fetch_add(1);
  };
  std::barrier start(thieves + 1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thieves; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      std::mt19937 random(static_cast<std::uint32_t>(seed * 100 + t));
      std::array<payload*, 16> out{};
      while (taken.load() < total) {
        if (random() % 2 == 0) {
          const auto got = queue.pop_top();
          if (got.status == steal_status::item)
            take(got.item);
          else
            std::this_thread::yield();
        } else {
          const batch_result got = queue.pop_top_batch(std::span(out).first(random() % out.size() + 1));
          for (std::size_t i = 0; i < got.count; ++i) take(out[i]);
        }
      }
    });
  }
  start.arrive_and_wait();
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (std::uint64_t next = 0; taken.load() < total;) {
    for (std::uint64_t burst = random() % 20 + 1; burst > 0 && next < total; --burst) {
      items[next].number = next + 1;
      items[next].square = (next + 1) * (next + 1);
      if (!queue.push_bottom(&items[next])) break;
      ++next;
    }
    for (std::uint64_t pops = random() % 20; pops > 0 || next == total; --pops) {
      const auto mine = queue.pop_bottom();
      if (!mine) break;
      take(*mine);
    }
    if (next == total) std::this_thread::yield();
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong.load(), 0U);
  EXPECT_EQ(taken.load(), total);
  EXPECT_EQ(sum.load(), total * (total + 1) / 2);
  EXPECT_EQ(queue.size(), 0U);
}

TYPED_TEST(WorkQueueContention, Stress_PayloadsArriveWholeAndOnce) {
  for (const std::uint64_t seed : ramie::test::seeds()) {
    for (unsigned thieves = 1; thieves <= 3; ++thieves) stress<TypeParam>(seed, thieves);
  }
}

}  // namespace
}  // namespace ramie::queue::test
