#include "simpson/problem.hpp"

#include <gtest/gtest.h>

namespace {

using namespace bench;
using namespace bench::simpson;

TEST(Simpson, PlainCalls_FindTheIntegral) {
  for (const scale s : {scale::tiny, scale::quick}) {
    const problem& p = problem_of(size_at(s));
    const result found = plain_call(whole(p.n));
    EXPECT_NEAR(found.integral, exact(p.n), 1e-6);
    EXPECT_GT(p.nodes, s == scale::tiny ? 50U : 10'000U);
    EXPECT_TRUE(judged({}, p, found).verified);
  }
}

TEST(Simpson, WrongResults_AreFound) {
  const problem& p = problem_of(size_at(scale::tiny));
  result wrong = plain_call(whole(p.n));
  wrong.integral += 1;
  EXPECT_NE(judged({}, p, wrong).complaint.find("the integral is"), std::string::npos);
  wrong = plain_call(whole(p.n));
  --wrong.nodes;
  EXPECT_NE(judged({}, p, wrong).complaint.find("nodes were visited instead of"), std::string::npos);
}

}  // namespace
