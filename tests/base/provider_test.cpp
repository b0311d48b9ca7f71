#include <ramie/base/provider.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/on_processor.hpp"
#include "support/process.hpp"
#include "support/repetitions.hpp"

namespace {

using namespace std::chrono_literals;
using ramie::test::eventually;
using ramie::test::others_sleep_for;
using ramie::test::patience;
using ramie::test::waiting_time;
using std::chrono::steady_clock;
using provider = ramie::std_provider;
using word = provider::atomic<std::uint32_t>;

TEST(Provider, LightFencesAreFreeWhereTheKernelHasMembarrier) {
  EXPECT_TRUE(provider::light_fences_are_free()) << "Linux 4.14 and later have it, unless seccomp forbids it";
}

TEST(Provider, FutexWaitReturnsAtOnceIfTheValueDiffers) {
  const word value{1};
  const auto start = steady_clock::now();
  provider::futex_wait(value, 0);
  EXPECT_TRUE(provider::futex_wait_for(value, 0, 2 * patience)) << "the time did not run out";
  EXPECT_LT(steady_clock::now() - start, patience);
}

TEST(Provider, FutexWaitForSaysWhenTheTimeRanOut) {
  const word value{0};
  const auto start = steady_clock::now();
  // A signal may end a wait early; then the answer is true, and we wait again.
  while (provider::futex_wait_for(value, 0, 20ms)) {
  }
  EXPECT_GE(steady_clock::now() - start, 20ms);
}

TEST(Provider, FutexWaitForTakesTimesOverASecond) {
  const word value{0};
  const auto start = steady_clock::now();
  while (provider::futex_wait_for(value, 0, 1'050ms)) {
  }
  const auto took = steady_clock::now() - start;
  EXPECT_GE(took, 1'050ms);
  EXPECT_LT(took, patience);
}

TEST(Provider, FutexWaitForNoTimeDoesNotSleep) {
  const word value{0};
  EXPECT_FALSE(provider::futex_wait_for(value, 0, 0ns));
  EXPECT_FALSE(provider::futex_wait_for(value, 0, -1s));
}

TEST(Provider, FutexWakeWakesAsManyAsAsked) {
  constexpr int sleepers = 4;
  word value{0};
  std::atomic<int> begun{0};
  std::atomic<int> awake{0};
  std::vector<std::thread> all;
  for (int i = 0; i < sleepers; ++i) {
    all.emplace_back([&] {
      ++begun;
      while (value.load() == 0) provider::futex_wait(value, 0);
      awake.fetch_add(1);
    });
  }
  EXPECT_TRUE(eventually("all threads sleep on the word", [&] { return begun == sleepers && others_sleep_for(5ms); }));
  EXPECT_EQ(awake.load(), 0);
  value.store(1);
  provider::futex_wake(value, 1);
  EXPECT_TRUE(eventually("one thread is awake", [&] { return awake == 1; }));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(awake.load(), 1) << "more were woken than that";
  provider::futex_wake(value, sleepers);
  for (std::thread& thread : all) thread.join();  // hangs, until the test's time limit, if a wake-up was lost
  EXPECT_EQ(awake.load(), sleepers);
}

TEST(Provider, StressFutexPingPongLosesNoWakeup) {
  const std::uint32_t rounds = ramie::test::repetitions(5) * 2'000;
  word turn{0};
  const auto play = [&](std::uint32_t mine) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      for (std::uint32_t now = turn.load(); now % 2 != mine; now = turn.load()) provider::futex_wait(turn, now);
      turn.fetch_add(1);
      provider::futex_wake(turn, 1);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn.load(), 2 * rounds);
}

TEST(Provider, AllocateKeepsTheAlignment) {
  for (const std::size_t alignment : {std::size_t{16}, std::size_t{64}, std::size_t{4096}}) {
    void* const block = provider::allocate(100, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    provider::deallocate(block, 100, alignment);
  }
}

// The litmus test "store buffering": each thread stores to its own word, fences, and loads the other's. Both loads
// missing the other's store is what a store buffer does, and what the fences forbid.
using litmus_word = std::atomic<std::uint32_t>;

template <void (*Fence)() noexcept>
struct fenced {
  static std::uint32_t store_then_load(litmus_word& mine, std::uint32_t value, const litmus_word& other) {
    mine.store(value, std::memory_order_relaxed);
    Fence();
    return other.load(std::memory_order_relaxed);
  }
};
using light = fenced<&provider::fence_light>;
using heavy = fenced<&provider::fence_heavy>;
using full = fenced<&provider::fence_seq_cst>;

// Store, load, and nothing between, whatever the compiler's flags or the sanitizer.
struct unfenced {
  static std::uint32_t store_then_load(litmus_word& mine, std::uint32_t value, const litmus_word& other) {
    std::uint32_t seen = 0;
    asm volatile("movl %[value], (%[mine])\n\tmovl (%[other]), %[seen]"
                 : [seen] "=&r"(seen)
                 : [value] "r"(value), [mine] "r"(&mine), [other] "r"(&other)
                 : "memory");
    return seen;
  }
};

// Returns in how many of the rounds both threads missed the other's store. The threads meet before every round, each on
// a processor of its own where there are two; a delay that changes from round to round moves them against each other.
template <class Left, class Right>
std::uint32_t store_buffering(std::uint32_t most) {
  struct alignas(64) cell {
    litmus_word value{0};
  };
  cell x;
  cell y;
  cell left_arrived;
  cell right_arrived;
  std::vector<std::uint32_t> seen_left(most);
  std::vector<std::uint32_t> seen_right(most);
  ramie::test::rounds race(most);
  litmus_word last{most};  // written by the left thread before it arrives there

  const auto play = [&]<class Side>(Side, cell& mine, cell& other, cell& arrived, cell& other_arrived,
                                    std::vector<std::uint32_t>& seen, std::uint32_t step) {
    const ramie::test::on_processor mine_alone(&seen == &seen_left ? 0 : 1);
    for (std::uint32_t round = 1; round <= last.load(std::memory_order_relaxed); ++round) {
      if (&seen == &seen_left && !race.next()) last.store(round, std::memory_order_relaxed);
      arrived.value.store(round, std::memory_order_release);
      for (unsigned spin = 1; other_arrived.value.load(std::memory_order_acquire) < round; ++spin) {
        // With one free core the other thread only comes when this one leaves.
        if (spin % 65'536 == 0) std::this_thread::yield();
      }
      for (std::uint32_t delay = round * step % 256; delay > 0; --delay) asm volatile("" ::: "memory");
      seen[round - 1] = Side::store_then_load(mine.value, round, other.value);
    }
  };
  std::thread right([&] { play(Right(), y, x, right_arrived, left_arrived, seen_right, 5); });
  play(Left(), x, y, left_arrived, right_arrived, seen_left, 3);
  right.join();

  std::uint32_t both_missed = 0;
  for (std::uint32_t round = 1; round <= last; ++round) {
    // The words only grow, so a missed store shows as the value of an earlier round.
    if (seen_left[round - 1] < round && seen_right[round - 1] < round) ++both_missed;
  }
  return both_missed;
}

std::uint32_t litmus_rounds() {
  return ramie::test::repetitions(5) * 20'000 / ((RAMIE_TSAN != 0 || RAMIE_ASAN != 0) ? 10 : 1);
}

TEST(ProviderFences, StressFullAgainstFullForbidsStoreBuffering) {
  EXPECT_EQ((store_buffering<full, full>(litmus_rounds())), 0U);
}

TEST(ProviderFences, StressLightAgainstHeavyForbidsStoreBuffering) {
  static_cast<void>(provider::light_fences_are_free());  // asked before the first of them
  EXPECT_EQ((store_buffering<light, heavy>(litmus_rounds())), 0U);
  EXPECT_EQ((store_buffering<heavy, light>(litmus_rounds())), 0U);
}

// The control: without fences the outcome does appear, so the two tests above can fail. It needs two cores at once,
// which a busy machine gives now and then.
TEST(ProviderFences, StressWithoutFencesStoreBufferingAppears) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor has one store buffer";
  const waiting_time left;
  while (!left.over()) {
    if (store_buffering<unfenced, unfenced>(2'000) > 0) return;
  }
  FAIL() << "the litmus test does not see store buffering even without fences: it proves nothing";
}

}  // namespace
