#include "skynet/problem.hpp"

#include <gtest/gtest.h>

namespace {

using namespace bench;
using namespace bench::skynet;

TEST(Skynet, PlainCalls_ReachEachLeafOnce) {
  EXPECT_TRUE(judged({}, 1, plain_call(0, 1)).verified);
  EXPECT_TRUE(judged({}, 10'000, plain_call(0, 10'000)).verified);
  EXPECT_EQ(plain_call(0, 1'000).sum, 499'500U);
}

TEST(Skynet, WrongResults_AreFound) {
  EXPECT_EQ(judged({}, 10, {.sum = 44, .leaves = 10}).complaint,
            "the numbers of the leaves sum up to 44 instead of 45");
  EXPECT_EQ(judged({}, 10, {.sum = 45, .leaves = 9}).complaint, "9 leaves ran instead of 10");
}

}  // namespace
