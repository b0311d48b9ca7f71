#include <ramie/base/error.hpp>
#include <ramie/stack/config.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ramie::stack {
namespace {

std::string refusal_of(const config& wanted) {
  try {
    static_cast<void>(validated(wanted));
  } catch (const bad_option& error) {
    return error.what();
  }
  return "";
}

TEST(StackConfig, DefaultIs256KiBWithOneGuardPage) {
  const config settings = validated({});
  EXPECT_EQ(settings.size, 256_KiB);
  EXPECT_EQ(settings.guard_size, 4_KiB);
  EXPECT_EQ(settings.guard, guard_policy::required);
}

TEST(StackConfig, SizesAreRoundedUpToPages) {
  const config settings = validated({.size = bytes(100'000), .guard_size = bytes(5000)});
  EXPECT_EQ(settings.size.count(), 102'400U);
  EXPECT_EQ(settings.guard_size.count(), 8192U);
}

TEST(StackConfig, TheUsualGuard_IsAQuarter_OfWholePages_AndNoMoreThan40KiB) {
  EXPECT_EQ(usual_guard(bytes(100)), 4_KiB);
  EXPECT_EQ(usual_guard(16_KiB), 4_KiB);
  EXPECT_EQ(usual_guard(60_KiB), 12_KiB);
  EXPECT_EQ(usual_guard(64_KiB), 16_KiB);
  EXPECT_EQ(usual_guard(128_KiB), 32_KiB);
  EXPECT_EQ(usual_guard(256_KiB), 40_KiB);
  EXPECT_EQ(usual_guard(64_GiB), 40_KiB);
  for (const bytes size : {16_KiB, 100_KiB, 256_KiB, 1_MiB}) {
    EXPECT_EQ(refusal_of({.size = size, .guard_size = usual_guard(size)}), "");
  }
}

TEST(StackConfig, BadSizesAreRefusedWithTheNameOfTheOption) {
  EXPECT_NE(refusal_of({.size = bytes(0)}).find("stack_size is 0 bytes"), std::string::npos);
  EXPECT_NE(refusal_of({.size = 256_B}).find("256_KiB"), std::string::npos);
  EXPECT_NE(refusal_of({.size = bytes(~std::size_t{0})}).find("stack_size"), std::string::npos);
  EXPECT_NE(refusal_of({.size = 64_KiB, .guard_size = 60_KiB}).find("guard_size"), std::string::npos);
  EXPECT_NE(refusal_of({.size = 64_KiB, .guard_size = bytes(~std::size_t{0})}).find("guard_size"), std::string::npos);
  EXPECT_NE(refusal_of({.max_stacks = 0}).find("max_stacks"), std::string::npos);
  EXPECT_NE(refusal_of({.first_segment = 2_GiB, .largest_segment = 1_GiB}).find("first_segment"), std::string::npos);
  EXPECT_EQ(refusal_of({.size = 16_KiB}), "");
  EXPECT_EQ(refusal_of({.size = 64_KiB, .guard_size = 56_KiB}), "");
}

TEST(StackStagger, StaysWithinTheTopPageAndAligned) {
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    EXPECT_LE(stagger(i), 960U);
    EXPECT_EQ(stagger(i) % 64, 0U);
  }
}

TEST(StackStagger, SixteenNeighboursTakeSixteenPlaces) {
  for (std::uint32_t block = 0; block < 1000; ++block) {
    std::array<int, 16> taken{};
    for (std::uint32_t i = 0; i < 16; ++i) ++taken[stagger(block * 16 + i) / 64];
    for (const int count : taken) EXPECT_EQ(count, 1) << "block " << block;
  }
}

// A share of 100 is even; 1600 throws of a fair die of 16 sides stay within 50 of it.
void expect_spread(std::uint32_t stride) {
  std::array<int, 16> taken{};
  for (std::uint32_t i = 0; i < 1600; ++i) ++taken[stagger(i * stride) / 64];
  for (const int count : taken) EXPECT_NEAR(count, 100, 50) << "stride " << stride;
}

TEST(StackStagger, NoStrideBelow300PilesUp) {
  for (std::uint32_t stride = 1; stride < 300; ++stride) expect_spread(stride);
}

TEST(StackStagger, NoPowerOfTwoPilesUp) {
  for (std::uint32_t shift = 0; shift <= 20; ++shift) expect_spread(1U << shift);
}

}  // namespace
}  // namespace ramie::stack
