#include "sort/contenders.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace bench;
using namespace bench::sorting;

TEST(SortSuite, WrongResults_AreFound) {
  for (const row& each : rows) {
    const problem& p = problem_of(each.task, 1000);
    huge_array<item> found(p.sorted.size());
    std::copy(p.sorted.begin(), p.sorted.end(), found.begin());
    EXPECT_TRUE(judged_as_sorted({}, p.sorted, found).verified);
    found[999] = p.sorted[999] + 1;
    EXPECT_NE(judged_as_sorted({}, p.sorted, found).complaint.find("no permutation"), std::string::npos);
    found[999] = p.sorted[0] - 1;
    EXPECT_NE(judged_as_sorted({}, p.sorted, found).complaint.find("item 999 is smaller"), std::string::npos);
  }
}

}  // namespace
