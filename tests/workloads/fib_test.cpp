#include "fib/problem.hpp"

#include <gtest/gtest.h>

namespace {

using namespace bench;
using namespace bench::fib;

TEST(Fib, NumbersFromBelow_AreTheKnownOnes) {
  EXPECT_EQ(fibonacci(0), 0U);
  EXPECT_EQ(fibonacci(1), 1U);
  EXPECT_EQ(fibonacci(10), 55U);
  EXPECT_EQ(fibonacci(40), 102'334'155U);
}

TEST(Fib, PlainCall_CountsTheNodesItVisits) {
  for (const unsigned n : {0U, 1U, 2U, 3U, 15U}) {
    EXPECT_EQ(plain_call(n).value, fibonacci(n)) << n;
    EXPECT_EQ(plain_call(n).count, nodes_of(n)) << n;
  }
}

std::uint64_t leaves_by_recursion(unsigned n, unsigned cutoff) {
  return n <= cutoff ? 1 : leaves_by_recursion(n - 1, cutoff) + leaves_by_recursion(n - 2, cutoff);
}

TEST(Fib, LeavesBelow_AreThoseOfTheRecursion) {
  for (unsigned n = 4; n < 20; ++n) EXPECT_EQ(leaves_below(n, 6), leaves_by_recursion(n, 6)) << n;
  EXPECT_EQ(leaves_below(40, 20), 17'711U);
}

leaves serially(const cutoff_size& size, unsigned n, std::uint64_t first) {
  if (n <= size.cutoff) return leaf(n, first, size.iterations);
  return serially(size, n - 1, first) + serially(size, n - 2, first + leaves_below(n - 1, size.cutoff));
}

TEST(Fib, WrongResultsOfCutoff_AreFound) {
  const cutoff_size n = cutoff_size_at(scale::tiny);
  const leaves right = serially(n, n.n, 0);
  EXPECT_TRUE(judged({}, n, right).verified) << judged({}, n, right).complaint;

  leaves wrong = right;
  ++wrong.value;
  EXPECT_FALSE(judged({}, n, wrong).verified);
  EXPECT_EQ(judged({}, n, wrong).complaint, "fib(16) gave 988 instead of 987");
  wrong = right;
  --wrong.count;
  EXPECT_FALSE(judged({}, n, wrong).verified);
  EXPECT_EQ(judged({}, n, wrong).complaint, "143 leaves ran instead of 144");
  // Leaf 1 in leaf 0's place: value and number are right, the work is not.
  wrong = right;
  wrong.checksum += leaf(n.cutoff, 1, n.iterations).checksum - leaf(n.cutoff, 0, n.iterations).checksum;
  EXPECT_FALSE(judged({}, n, wrong).verified);
  EXPECT_NE(judged({}, n, wrong).complaint.find("busy loops"), std::string::npos);
}

TEST(Fib, WrongResultsWithoutCutoff_AreFound) {
  EXPECT_TRUE(judged({}, 10, plain_call(10)).verified);
  EXPECT_EQ(judged({}, 10, {.value = 54, .count = 177}).complaint, "fib(10) gave 54 instead of 55");
  EXPECT_FALSE(judged({}, 10, {.value = 54, .count = 177}).verified);
  EXPECT_EQ(judged({}, 10, {.value = 55, .count = 176}).complaint, "176 nodes were visited instead of 177");
  EXPECT_FALSE(judged({}, 10, {.value = 55, .count = 176}).verified);
}

}  // namespace
