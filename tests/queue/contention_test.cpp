// The promises of every queue between an owner and thieves.
#include "kinds.hpp"

#include <support/on_processor.hpp>
#include <support/repetitions.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <limits>
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
  constexpr int over = std::numeric_limits<int>::max();
  std::atomic<int> round{0}, stolen{0}, answered{0};
  std::thread thief([&] {
    const ramie::test::on_processor there(1);
    for (int i = 1;; ++i) {
      while (round.load(std::memory_order_acquire) < i) std::this_thread::yield();
      if (round.load(std::memory_order_relaxed) == over) return;
      const auto got = queue.pop_top();
      if (got.status == steal_status::item && got.item == i) stolen.fetch_add(1);
      answered.store(i, std::memory_order_release);
    }
  });
  int popped = 0;
  int thief_before = 0;
  const ramie::test::on_processor here(0);
  ramie::test::rounds race(rounds);
  for (int i = 1; race.next(); ++i) {
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
  round.store(over, std::memory_order_release);
  thief.join();
  EXPECT_EQ(static_cast<std::uint64_t>(popped + stolen.load()), race.begun());
}

// A queue that has one item most of the time: a fork and its join, again and again, with a few looks of a thief
// between.
TYPED_TEST(WorkQueueContention, NoStarvation_ADequeOfDepthOne_IsStolenFrom) {
  if constexpr (TypeParam::thieves_see_all) {
    typename TypeParam::template of<int> queue;
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> looks{0};
    int stolen = 0;
    std::thread thief([&] {
      const ramie::test::on_processor there(1);
      for (; !stop; looks.fetch_add(1)) stolen += queue.pop_top().status == steal_status::item ? 1 : 0;
    });
    const auto let_it_look = [&] {
      for (const std::uint64_t seen = looks.load(); looks.load() < seen + 3;) std::this_thread::yield();
    };
    const ramie::test::on_processor here(0);
    ramie::test::rounds forks(300);
    while (forks.next()) {
      ASSERT_TRUE(queue.push_bottom(1));
      let_it_look();
      static_cast<void>(queue.pop_bottom());
      let_it_look();
    }
    stop = true;
    thief.join();
    EXPECT_GE(static_cast<std::uint64_t>(stolen), forks.begun() / 3);
  }
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

// An owner that has filled its queue and then is busy with something else: a thief who keeps trying gets some of it,
// and all of it where thieves may have all.
TYPED_TEST(WorkQueueContention, NoStarvation_AThiefGetsWorkFromAnOwnerWhoIsBusy) {
  constexpr int attempts = 1000;
  for (int repetition = 0; repetition < 10; ++repetition) {
    typename TypeParam::template of<int> queue;
    const auto count = static_cast<int>(std::min<std::size_t>(2000, TypeParam::capacity));
    for (int i = 0; i < count; ++i) ASSERT_TRUE(queue.push_bottom(i));
    int stolen = 0;
    std::thread thief([&] {
      for (int failed = 0; failed < attempts && stolen < count;) {
        if (queue.pop_top().status == steal_status::item) {
          ++stolen;
          failed = 0;
        } else {
          ++failed;
        }
      }
    });
    thief.join();
    EXPECT_GT(stolen, 0);
    if (TypeParam::thieves_see_all) {
      EXPECT_EQ(stolen, count);
    }
  }
}

TYPED_TEST(WorkQueueContention, Growth_WhileThievesSteal_LosesNothing) {
  constexpr int count = RAMIE_TSAN || RAMIE_ASAN ? 3'000 : 20'000;
  for (int repetition = 0; repetition < 3; ++repetition) {
    typename TypeParam::template of<int> queue;
    std::vector<std::atomic<int>> taken(count);
    std::atomic<bool> pushed_all{false};
    std::vector<std::thread> thieves;
    for (int t = 0; t < 2; ++t) {
      thieves.emplace_back([&] {
        for (;;) {
          const bool last_look = pushed_all.load(std::memory_order_acquire);
          const auto got = queue.pop_top();
          if (got.status == steal_status::item) taken[static_cast<std::size_t>(got.item)].fetch_add(1);
          // lost_race: what is left may be the owner's alone
          const bool gone = got.status == steal_status::empty ||
                            (got.status == steal_status::lost_race && !TypeParam::thieves_see_all);
          if (gone && last_look) return;
        }
      });
    }
    for (int i = 0; i < count; ++i) {
      while (!queue.push_bottom(i)) {  // full: the owner works off what is there
        if (const auto mine = queue.pop_bottom()) taken[static_cast<std::size_t>(*mine)].fetch_add(1);
      }
    }
    pushed_all.store(true, std::memory_order_release);
    for (std::thread& each : thieves) each.join();
    while (const auto left = queue.pop_bottom()) taken[static_cast<std::size_t>(*left)].fetch_add(1);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(taken[i].load(), 1) << "item " << i;
  }
}

// The content of the payload is written before the push and read after the take, without any atomic of its own: TSan
// reports the missing edge if a queue does not publish, a plain build the torn or stale sum.
struct payload {
  std::uint64_t number = 0;
  std::uint64_t square = 0;
  int times_taken = 0;
};

struct tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t wrong = 0;

  void take(payload* one) {
    if (one->square != one->number * one->number || ++one->times_taken != 1) ++wrong;
    sum += one->number;
    ++count;
  }
};

enum class ending {
  all_taken,  // the owner and the thieves go on until nothing is left
  some_left,  // they stop where the last item has been pushed
};

// pushed = popped + stolen + left, in number and in content.
template <class Kind>
void stress(std::uint64_t seed, unsigned thieves, std::uint64_t total, ending ends) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", thieves " + std::to_string(thieves));
  typename Kind::template of<payload*> queue;
  std::vector<payload> items(total);
  std::atomic<std::uint64_t> taken{0};
  std::atomic<bool> stop{false};
  std::vector<tally> stolen(thieves);
  std::barrier start(thieves + 1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thieves; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      std::mt19937 random(static_cast<std::uint32_t>(seed * 100 + t));
      std::array<payload*, 16> out{};
      tally mine;
      while (!stop.load(std::memory_order_relaxed)) {
        if (random() % 2 == 0) {
          const auto got = queue.pop_top();
          if (got.status == steal_status::item) {
            mine.take(got.item);
            taken.fetch_add(1);
          } else {
            std::this_thread::yield();
          }
        } else {
          const batch_result got = queue.pop_top_batch(std::span(out).first(random() % out.size() + 1));
          for (std::size_t i = 0; i < got.count; ++i) mine.take(out[i]);
          taken.fetch_add(got.count);
        }
      }
      stolen[t] = mine;
    });
  }
  start.arrive_and_wait();
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::uint64_t pushed = 0;
  tally popped;
  while (ends == ending::all_taken ? taken.load() < total : pushed < total) {
    for (std::uint64_t burst = random() % 20 + 1; burst > 0 && pushed < total; --burst) {
      items[pushed].number = pushed + 1;
      items[pushed].square = (pushed + 1) * (pushed + 1);
      if (!queue.push_bottom(&items[pushed])) break;
      ++pushed;
    }
    const bool to_the_end = ends == ending::all_taken && pushed == total;
    for (std::uint64_t pops = random() % 20; pops > 0 || to_the_end; pops -= pops > 0 ? 1 : 0) {
      const auto mine = queue.pop_bottom();
      if (!mine) break;
      popped.take(*mine);
      taken.fetch_add(1);
    }
    if (to_the_end) std::this_thread::yield();
  }
  stop.store(true, std::memory_order_relaxed);
  for (std::thread& each : threads) each.join();
  tally left;
  while (const auto mine = queue.pop_bottom()) left.take(*mine);
  EXPECT_EQ(steal(queue).status, steal_status::empty);
  EXPECT_EQ(queue.size(), 0U);
  tally all = popped;
  for (const tally& each : stolen) all.count += each.count, all.sum += each.sum, all.wrong += each.wrong;
  if (ends == ending::all_taken) {
    EXPECT_EQ(left.count, 0U);
  }
  EXPECT_EQ(pushed, total);
  EXPECT_EQ(all.count + left.count, total);
  EXPECT_EQ(all.sum + left.sum, total * (total + 1) / 2);
  EXPECT_EQ(all.wrong + left.wrong, 0U);
}

TYPED_TEST(WorkQueueContention, Stress_PayloadsArriveWholeAndOnce) {
  constexpr std::uint64_t total = RAMIE_TSAN || RAMIE_ASAN ? 8'000 : 150'000;
  for (const std::uint64_t seed : ramie::test::seeds(25)) {
    stress<TypeParam>(seed, 1 + static_cast<unsigned>(seed % 3), total, ending::all_taken);
  }
}

TYPED_TEST(WorkQueueContention, Stress_PushedIsPoppedStolenOrLeft) {
  constexpr std::uint64_t total = RAMIE_TSAN || RAMIE_ASAN ? 4'000 : 20'000;
  for (const std::uint64_t seed : ramie::test::seeds(25)) {
    stress<TypeParam>(seed, 1 + static_cast<unsigned>(seed % 3), total, ending::some_left);
  }
}

// A second, or a minute, of other seeds than above: 1001, 1002, ... (RAMIE_SEED=<n> begins with 1000 + n.)
TYPED_TEST(WorkQueueContention, Stress_ForAWhile) {
  constexpr std::uint64_t total = RAMIE_TSAN || RAMIE_ASAN ? 8'000 : 150'000;
  const auto end = std::chrono::steady_clock::now() + ramie::test::stress_time();
  for (std::uint64_t seed = ramie::test::seeds().front() + 1000;
       std::chrono::steady_clock::now() < end && !this->HasFailure(); ++seed) {
    stress<TypeParam>(seed, 1 + static_cast<unsigned>(seed % 3), total,
                      seed % 2 == 0 ? ending::all_taken : ending::some_left);
  }
}

}  // namespace
}  // namespace ramie::queue::test
