#include <ramie/base/ticks.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace ramie {
namespace {

TEST(Ticks, TheirRateIsRight_UpToAFactorOfTwo) {
  using clock = std::chrono::steady_clock;
  const auto began = clock::now();
  const std::uint64_t first = ticks();
  while (clock::now() - began < std::chrono::milliseconds(20)) {
  }
  const auto counted = static_cast<double>(ticks() - first);
  const double microseconds = std::chrono::duration<double, std::micro>(clock::now() - began).count();
  EXPECT_GT(counted / microseconds, 0.45 * static_cast<double>(ticks_a_microsecond()));
  EXPECT_LT(counted / microseconds, 2.2 * static_cast<double>(ticks_a_microsecond()));
}

}  // namespace
}  // namespace ramie
