#include "balanced/contenders.hpp"

#include <gtest/gtest.h>

#include "kernel/busy_loop.hpp"

namespace bench::balanced {
namespace {

constexpr size small{.fibers = 20, .iterations = 100};

results right() {
  results found(small.fibers);
  for (std::size_t i = 0; i < small.fibers; ++i) found[i] = busy_loop(i, small.iterations);
  return found;
}

TEST(Balanced, RightResults_AreVerified) {
  const timed run = judged({}, small, right());
  EXPECT_TRUE(run.verified) << run.complaint;
}

TEST(Balanced, WrongResult_IsComplainedOf) {
  results found = right();
  found[7] ^= 1U;
  const timed run = judged({}, small, found);
  EXPECT_FALSE(run.verified);
  EXPECT_NE(run.complaint.find("fiber 7 gave"), std::string::npos) << run.complaint;
}

TEST(Balanced, FiberThatNeverRan_IsComplainedOf) {
  results found = right();
  found[19] = 0;
  EXPECT_NE(judged({}, small, found).complaint.find("fiber 19 gave 0 "), std::string::npos);
}

TEST(Balanced, FiberOfTheWrongLength_IsComplainedOf) {
  results found = right();
  found[0] = busy_loop(0, small.iterations - 1);
  EXPECT_NE(judged({}, small, found).complaint.find("fiber 0 gave"), std::string::npos);
}

}  // namespace
}  // namespace bench::balanced
