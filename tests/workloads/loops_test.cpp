#include "loops/contenders.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace bench;
using namespace bench::loops;

TEST(Loops, WrongResults_AreFound) {
  for (const row& each : rows) {
    const problem& p = problem_of(each.algorithm, 1000);
    huge_array<item> found(p.expected.size());
    std::copy(p.expected.begin(), p.expected.end(), found.begin());
    EXPECT_TRUE(judged({}, p, found).verified);
    ++found[found.size() - 1];
    const timed wrong = judged({}, p, found);
    EXPECT_FALSE(wrong.verified);
    EXPECT_NE(wrong.complaint.find("item " + std::to_string(found.size() - 1) + " is "), std::string::npos);
  }
}

}  // namespace
