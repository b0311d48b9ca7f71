#include <ramie/base/ticks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace ramie {
namespace {

using clock = std::chrono::steady_clock;

// A look at the ticks, some time between two at the clock: this thread may lose its processor anywhere.
struct look {
  clock::time_point before = clock::now();
  std::uint64_t seen = ticks();
  clock::time_point after = clock::now();
};

double microseconds(clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

TEST(Ticks, TheirRateIsRight_UpToAFactorOfTwo) {
  const look first;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const look last;
  const auto counted = static_cast<double>(last.seen - first.seen);
  const auto expected = static_cast<double>(ticks_a_microsecond());
  EXPECT_GT(counted, 0.45 * expected * microseconds(last.before - first.after));
  EXPECT_LT(counted, 2.2 * expected * microseconds(last.after - first.before));
}

}  // namespace
}  // namespace ramie
