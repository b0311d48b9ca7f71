#include <ramie/base/random.hpp>

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>

namespace {

using ramie::random_source;

TEST(Random, SameSeedGivesSameNumbers) {
  random_source one(42);
  random_source two(42);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(one.next(), two.next()) << "at number " << i;
}

TEST(Random, NeighbouringSeedsGiveUnrelatedNumbers) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) firsts.insert(random_source(seed).next());
  EXPECT_EQ(firsts.size(), 1000U);
}

TEST(Random, NoSeedSticksAtZero) {
  // The second is the one seed that splitmix64 maps to zero, where xorshift would stay for ever.
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x61C8864680B583EB}}) {
    random_source source(seed);
    const std::uint64_t first = source.next();
    EXPECT_NE(first, 0U);
    EXPECT_NE(source.next(), first);
  }
}

TEST(Random, BelowStaysBelowItsBound) {
  random_source source(7);
  for (const std::uint32_t bound : {1U, 2U, 3U, 1000U, 0x80000000U, 0xFFFFFFFFU}) {
    for (int i = 0; i < 10'000; ++i) ASSERT_LT(source.below(bound), bound);
  }
}

TEST(Random, BelowIsEven) {
  constexpr std::uint32_t bound = 15;
  constexpr int draws = 150'000;
  std::array<int, bound> seen{};
  random_source source(3);
  for (int i = 0; i < draws; ++i) ++seen.at(source.below(bound));
  // 10,000 expected a bin with a standard deviation of 97: six of them never happen by chance, and the seed is fixed.
  for (const int count : seen) EXPECT_NEAR(count, draws / static_cast<int>(bound), 600);
}

TEST(Random, WorksAtCompileTime) {
  constexpr auto number = [] { return random_source(1).next(); }();
  EXPECT_EQ(number, random_source(1).next());
}

}  // namespace
