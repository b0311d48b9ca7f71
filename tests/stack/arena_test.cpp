#include "child.hpp"

#include <ramie/base/config.hpp>
#include <ramie/base/error.hpp>
#include <ramie/stack/advise.hpp>
#include <ramie/stack/arena.hpp>
#include <ramie/stack/guard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace ramie::stack {
namespace {

// The process's mappings from the lowest to the highest of these stacks, whatever a sanitizer maps elsewhere.
std::size_t mappings_among(const std::vector<memory>& stacks) {
  std::uintptr_t low = ~std::uintptr_t{0};
  std::uintptr_t high = 0;
  for (const memory& each : stacks) {
    low = std::min(low, reinterpret_cast<std::uintptr_t>(each.bottom));
    high = std::max(high, reinterpret_cast<std::uintptr_t>(each.top));
  }
  std::ifstream file("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    const std::uintptr_t begin = std::stoull(line, nullptr, 16);
    const std::uintptr_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (begin < high && end > low) ++count;
  }
  return count;
}

std::vector<memory> acquire_all(arena& from, std::size_t count) {
  std::vector<memory> result(count);
  for (std::size_t done = 0; done < count;) done += from.acquire(std::span(result).subspan(done));
  return result;
}

bool touch_faults(std::byte* address) {
  return test::in_child([address] {
           test::default_faults();
           *const_cast<volatile std::byte*>(address) = std::byte{1};
           return 0;
         })
      .died_of(SIGSEGV);
}

// Every rung of the ladder keeps the same promises.
class ArenaOnEachRung : public ::testing::TestWithParam<guard_kind> {
 protected:
  void SetUp() override {
    if (!works(GetParam())) GTEST_SKIP() << "MADV_GUARD_INSTALL needs Linux 6.13; this kernel has no such guard";
  }
  static config settings() { return {.force_guard = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Rungs, ArenaOnEachRung,
                         ::testing::Values(guard_kind::guard_install, guard_kind::mprotect, guard_kind::none),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST_P(ArenaOnEachRung, AllBytesFromBottomToTopMayBeUsed_TheGuardMayNot) {
  arena stacks(settings());
  for (const memory& each : acquire_all(stacks, 3)) {
    std::memset(each.bottom, 1, each.size());
    EXPECT_TRUE(readable(each.bottom));
    EXPECT_EQ(readable(each.bottom - 8), GetParam() == guard_kind::none);
    EXPECT_EQ(readable(each.bottom - page_size), GetParam() == guard_kind::none);
  }
  EXPECT_EQ(stacks.guards(), GetParam());
}

TEST_P(ArenaOnEachRung, TouchingTheGuardIsASegmentationFault) {
  arena stacks(settings());
  const memory one = acquire_all(stacks, 1).front();
  EXPECT_EQ(touch_faults(one.bottom - 1), GetParam() != guard_kind::none);
  EXPECT_FALSE(touch_faults(one.bottom));
}

TEST_P(ArenaOnEachRung, ReleasedStacksComeBackZeroAndStillGuarded) {
  arena stacks(settings());
  for (const auto way : {detail::advise_way::unknown, detail::advise_way::plain}) {
    detail::force_advise_way(way);
    const std::vector<memory> first = acquire_all(stacks, 700);
    for (const memory& each : first) {
      each.top[-1] = std::byte{1};
      *each.bottom = std::byte{2};
    }
    stacks.release(first);
    const std::vector<memory> second = acquire_all(stacks, 700);
    const auto lower = [](const memory& a, const memory& b) { return a.bottom < b.bottom; };
    EXPECT_EQ(std::set(first.begin(), first.end(), lower).size(), 700U);
    for (const memory& each : second) {
      EXPECT_TRUE(std::find(first.begin(), first.end(), each) != first.end()) << "released ones are preferred";
      EXPECT_EQ(each.top[-1], std::byte{0});
      EXPECT_EQ(*each.bottom, std::byte{0});
      EXPECT_EQ(readable(each.bottom - 8), GetParam() == guard_kind::none);
    }
    stacks.release(second);
  }
  detail::force_advise_way(detail::advise_way::unknown);
}

TEST_P(ArenaOnEachRung, WiderGuardsAreGuardedThroughout) {
  config wide = settings();
  wide.guard_size = 64_KiB;
  arena stacks(wide);
  const memory one = acquire_all(stacks, 1).front();
  EXPECT_LE(one.size(), (192_KiB).count());
  EXPECT_EQ(readable(one.bottom - (64_KiB).count()), GetParam() == guard_kind::none);
  EXPECT_EQ(readable(one.bottom - 8), GetParam() == guard_kind::none);
}

TEST(Arena, TopsAreAlignedAndStaggeredWithinTheTopPage) {
  arena stacks;
  std::array<int, 16> taken{};
  for (const memory& each : acquire_all(stacks, 4096)) {
    const auto top = reinterpret_cast<std::uintptr_t>(each.top);
    const auto bottom = reinterpret_cast<std::uintptr_t>(each.bottom);
    EXPECT_EQ(top % 64, 0U);
    EXPECT_EQ(bottom % page_size, 0U);
    const std::uintptr_t end = bottom + (252_KiB).count();
    EXPECT_EQ(end % (256_KiB).count(), 0U) << "slots are aligned to their size";
    ASSERT_LE(top, end);
    ASSERT_LE(end - top, 960U);
    ++taken[(end - top) / 64];
  }
  for (const int count : taken) EXPECT_EQ(count, 256);
}

TEST(Arena, ABlockedFiberCostsOnePage) {
  arena stacks;
  for (const memory& each : acquire_all(stacks, 2000)) {
    std::memset(each.top - 3000, 1, 3000);
    EXPECT_EQ(stacks.high_water(each), reinterpret_cast<std::uintptr_t>(each.top) % page_size == 0
                                           ? page_size
                                           : reinterpret_cast<std::uintptr_t>(each.top) % page_size);
  }
}

TEST(Arena, AnySizeOfWholePagesWorks) {
  for (const bytes size : {16_KiB, 20_KiB, 64_KiB, 1_MiB, 3_MiB, 100_MiB}) {
    arena stacks({.size = size});
    std::vector<memory> some = acquire_all(stacks, 20);
    std::sort(some.begin(), some.end(), [](const memory& a, const memory& b) { return a.bottom < b.bottom; });
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i].top[-1] = *some[i].bottom = std::byte{1};
      EXPECT_LE(some[i].size(), size.count() - page_size);
      EXPECT_GE(some[i].size(), size.count() - page_size - 960);
      if (i > 0) {
        EXPECT_LE(some[i - 1].top + page_size, some[i].bottom);
      }
    }
    stacks.release(some);
    EXPECT_EQ(stacks.counts().in_use, 0U);
  }
}

TEST(Arena, AHundredThousandGuardedStacksNeedFewMappings) {
  if (!works(guard_kind::guard_install)) GTEST_SKIP() << "MADV_GUARD_INSTALL needs Linux 6.13";
  std::vector<memory> many;
  std::size_t during = 0;
  {
    arena stacks;
    many = acquire_all(stacks, 100'000);
    for (const memory& each : many) ASSERT_FALSE(readable(each.bottom - 8));
    during = mappings_among(many);
    EXPECT_LT(during, 40U);
    EXPECT_EQ(stacks.counts().in_use, 100'000U);
    EXPECT_EQ(stacks.counts().unguarded, 0U);
    stacks.release(many);
    EXPECT_EQ(stacks.counts().released, 100'000U);
    for (const memory& each : many) ASSERT_FALSE(readable(each.bottom - 8));
  }
  EXPECT_LT(mappings_among(many), during) << "the arena unmaps what it mapped";
}

TEST(Arena, CountsFollowTheStacks) {
  arena stacks({.size = 64_KiB, .first_segment = 1_MiB});
  EXPECT_EQ(stacks.counts().reserved, 0U) << "nothing is reserved before it is needed";
  const std::vector<memory> some = acquire_all(stacks, 40);
  usage now = stacks.counts();
  EXPECT_EQ(now.in_use, 40U);
  EXPECT_EQ(now.released, 0U);
  EXPECT_EQ(now.segments, 2U) << "16 slots, then twice as many";
  EXPECT_EQ(now.reserved, 48U);
  EXPECT_EQ(now.address_space, 3_MiB);
  stacks.release(std::span(some).first(10));
  now = stacks.counts();
  EXPECT_EQ(now.in_use, 30U);
  EXPECT_EQ(now.released, 10U);
  stacks.release(std::span(some).subspan(10));
  EXPECT_EQ(stacks.counts().in_use, 0U);
  EXPECT_EQ(stacks.counts().reserved, 48U);
}

TEST(Arena, NothingIsAcquiredForAnEmptySpan) {
  arena stacks;
  EXPECT_EQ(stacks.acquire({}), 0U);
  stacks.release({});
}

TEST(Arena, HighWaterIsTheDeepestTouchedPageSinceAcquire) {
  arena stacks({.size = 4_MiB});  // several mincore calls
  memory one = acquire_all(stacks, 1).front();
  EXPECT_EQ(stacks.high_water(one), 0U);
  one.top[-1] = std::byte{1};
  EXPECT_LE(stacks.high_water(one), page_size);
  EXPECT_GT(stacks.high_water(one), 0U);
  one.top[-100'000] = std::byte{1};
  EXPECT_GE(stacks.high_water(one), 100'000U);
  EXPECT_LT(stacks.high_water(one), 100'000U + page_size);
  *one.bottom = std::byte{1};
  EXPECT_EQ(stacks.high_water(one), one.size());
  stacks.release({&one, 1});
  one = acquire_all(stacks, 1).front();
  EXPECT_EQ(stacks.high_water(one), 0U) << "a release starts anew";
}

TEST(Arena, MaxStacksIsALimitOnThoseInUse) {
  arena stacks({.max_stacks = 100});
  std::vector<memory> some(150);
  EXPECT_EQ(stacks.acquire(some), 100U);
  EXPECT_LE(stacks.counts().reserved, 256U);
  memory one;
  try {
    stacks.acquire({&one, 1});
    FAIL() << "the 101st stack";
  } catch (const spawn_error& error) {
    EXPECT_NE(std::string(error.what()).find("max_stacks is 100"), std::string::npos) << error.what();
  }
  stacks.release(std::span(some).first(1));
  EXPECT_EQ(stacks.acquire({&one, 1}), 1U);
}

TEST(Arena, StacksMayBeTakenAndReturnedByManyThreads) {
  arena stacks({.size = 64_KiB, .first_segment = 1_MiB});
  constexpr std::size_t most = 70;
  std::vector<std::thread> threads;
  for (unsigned id = 1; id <= 4; ++id) {
    threads.emplace_back([&stacks, id] {
      std::array<memory, most> mine;
      for (std::size_t round = 0; round < 300; ++round) {
        const std::size_t got = stacks.acquire(std::span(mine).first(1 + (round * 7 + id) % most));
        const std::byte mark{static_cast<unsigned char>(id)};
        for (std::size_t i = 0; i < got; ++i) {
          ASSERT_EQ(mine[i].top[-1], std::byte{0});
          mine[i].top[-1] = mark;
        }
        for (std::size_t i = 0; i < got; ++i) ASSERT_EQ(mine[i].top[-1], mark) << "a stack with two owners";
        stacks.release(std::span(mine).first(got / 2));
        stacks.release(std::span(mine).first(got).subspan(got / 2));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  const usage now = stacks.counts();
  EXPECT_EQ(now.in_use, 0U);
  EXPECT_LE(now.released, 4 * most);
}

TEST(Arena, ReleasingTwiceOrAForeignStackAbortsWithASentence) {
  const auto twice = test::in_child([] {
    ::signal(SIGABRT, SIG_DFL);
    arena stacks;
    const std::vector<memory> one = acquire_all(stacks, 1);
    stacks.release(one);
    stacks.release(one);
    return 0;
  });
  EXPECT_TRUE(twice.died_of(SIGABRT));
  EXPECT_TRUE(twice.says("Release every stack once")) << twice.text;
  const auto stranger = test::in_child([] {
    ::signal(SIGABRT, SIG_DFL);
    arena stacks;
    arena others;
    const std::vector<memory> mine = acquire_all(stacks, 1);
    others.release(mine);
    return 0;
  });
  EXPECT_TRUE(stranger.died_of(SIGABRT));
}

}  // namespace
}  // namespace ramie::stack
