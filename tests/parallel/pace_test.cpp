#include <ramie/parallel/pace.hpp>

#include <support/eventually.hpp>
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

namespace ramie::detail {
namespace {

using std::chrono::microseconds;

std::size_t largest_leaf(const pace& of) {
  std::size_t least = 1, most = std::size_t{1} << 40U;
  while (least < most) {
    const std::size_t middle = least + (most - least + 1) / 2;
    if (of.is_leaf(middle)) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

// The kernel may take the processor away in the middle of a leaf, which is cut down then, but not every time.
TEST(Pace, BeginsWithOneElement_AndDoublesWhileLeavesAreQuick) {
  pace mine(parallel_policy{});
  EXPECT_EQ(largest_leaf(mine), 1U);
  const test::waiting_time left;
  while (largest_leaf(mine) < 64 && !left.over()) {
    const std::size_t elements = largest_leaf(mine);
    mine.pause();  // what the test itself takes, which is much under a sanitizer, is no part of the leaf
    mine.begin_leaf();
    mine.end_leaf(elements);
    EXPECT_LE(largest_leaf(mine), 2 * elements);
  }
  EXPECT_EQ(largest_leaf(mine), 64U);
}

// The last leaf of a range is often a small one, and says nothing about larger ones.
TEST(Pace, SmallLeaves_DoNotRaiseIt) {
  pace mine(parallel_policy{});
  for (int leaf = 0; leaf < 1000; ++leaf) {
    mine.begin_leaf();
    mine.end_leaf(1);
  }
  EXPECT_LE(largest_leaf(mine), 2U);
}

TEST(Pace, ALeafThatTakesTooLong_CutsItDownAtOnce) {
  pace mine(parallel_policy{});
  const test::waiting_time left;
  while (largest_leaf(mine) < 1024 && !left.over()) {
    const std::size_t elements = largest_leaf(mine);
    mine.pause();
    mine.begin_leaf();
    mine.end_leaf(elements);
  }
  ASSERT_EQ(largest_leaf(mine), 1024U);
  do {
    mine.pause();
    mine.begin_leaf();
  } while (mine.is_late() && !left.over());
  EXPECT_FALSE(left.over()) << "late in the leaf's first moment";
  test::compute(microseconds(1000));
  EXPECT_TRUE(mine.is_late());
  mine.end_leaf(1024);
  EXPECT_LT(largest_leaf(mine), 16U);
}

TEST(Pace, TimeThatBelongsToNoLeaf_IsNotCounted) {
  pace mine(parallel_policy{});
  const auto wait_and_run_a_leaf = [&](bool says_so) {
    mine.begin_leaf();
    mine.end_leaf(largest_leaf(mine));
    test::compute(microseconds(20));
    if (says_so) mine.pause();
  };
  for (int leaf = 0; leaf < 100; ++leaf) wait_and_run_a_leaf(false);
  EXPECT_LE(largest_leaf(mine), 2U);
  const test::waiting_time left;
  while (largest_leaf(mine) < 1024 && !left.over()) wait_and_run_a_leaf(true);
  EXPECT_GE(largest_leaf(mine), 1024U);
}

TEST(Pace, LargeRanges_AreDividedAtCacheLines_SmallOnesInTheMiddle) {
  const pace mine(parallel_policy{});
  EXPECT_EQ(mine.middle(0, 2), 1U);
  EXPECT_EQ(mine.middle(10, 13), 11U);
  EXPECT_EQ(mine.middle(0, 255), 127U);
  EXPECT_EQ(mine.middle(0, 256), 128U);
  EXPECT_EQ(mine.middle(0, 1000), 448U);
  EXPECT_EQ(mine.middle(448, 1000), 704U);
  EXPECT_EQ(pace(parallel_policy{.grain = 100}).middle(0, 1000), 500U);
}

TEST(Pace, AGrain_IsKept) {
  constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
  for (const std::size_t grain : {std::size_t{1}, std::size_t{100}, everything / 2, everything}) {
    pace mine(parallel_policy{.grain = grain});
    const std::size_t most = grain == 1 ? 1 : grain == 100 ? 199 : everything - (grain == everything / 2 ? 2 : 0);
    for (int leaf = 0; leaf < 2; ++leaf) {
      EXPECT_TRUE(mine.is_leaf(most));
      EXPECT_EQ(mine.is_leaf(most + 1), most == everything);  // there it is 0
      mine.begin_leaf();
      if (leaf == 0 && grain < 1000) test::compute(microseconds(100));
      EXPECT_FALSE(mine.is_late());
      mine.end_leaf(grain);
    }
    EXPECT_EQ(mine.block(), everything);
  }
}

}  // namespace
}  // namespace ramie::detail
