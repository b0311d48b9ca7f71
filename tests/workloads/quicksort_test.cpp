// The kernels that all runtimes share, and that a wrong result is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "kernel/splitmix.hpp"
#include "quicksort/contenders.hpp"
#include "quicksort/problem.hpp"

namespace bench::quicksort {
namespace {

using items = std::vector<item>;

items random_items(std::size_t n, std::uint32_t below, std::uint64_t seed) {
  splitmix random(seed);
  items made(n);
  for (item& each : made) each = static_cast<item>(random.below(below)) - below / 2;
  return made;
}

TEST(Quicksort, PartitionLeavesTwoPartsInOrderAndNoneEmpty) {
  for (const std::uint32_t below : {1U, 2U, 5U, 1'000'000U}) {
    for (std::size_t n = 3; n < 200; ++n) {
      items data = random_items(n, below, n);
      items expected = data;
      const auto [first, second] = partition({data.data(), n});
      ASSERT_GT(first.size, 0U);
      ASSERT_GT(second.size, 0U);
      ASSERT_EQ(first.data, data.data());
      ASSERT_EQ(second.data, data.data() + first.size);
      ASSERT_EQ(first.size + second.size, n);
      const auto middle = data.begin() + static_cast<std::ptrdiff_t>(first.size);
      ASSERT_LE(*std::max_element(data.begin(), middle), *std::min_element(middle, data.end())) << n << " items";
      std::sort(data.begin(), data.end());
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(data, expected);
    }
  }
}

TEST(Quicksort, SerialSortSortsAnyOrder) {
  for (const std::size_t n : {0U, 1U, 2U, 3U, 32U, 33U, 1000U}) {
    for (const std::uint32_t below : {1U, 3U, 1'000'000U}) {
      items data = random_items(n, below, n);
      items expected = data;
      std::sort(expected.begin(), expected.end());
      sort_serially({data.data(), n}, 32);
      ASSERT_EQ(data, expected);
      sort_serially({data.data(), n}, 2);
      ASSERT_EQ(data, expected) << "sorted before";
      std::reverse(data.begin(), data.end());
      sort_serially({data.data(), n}, 2);
      ASSERT_EQ(data, expected) << "reversed before";
    }
  }
}

timed sorted_and_changed(const std::function<void(huge_array<item>&)>& change) {
  const problem& p = problem_of({.items = 10'000, .cutoff = 32});
  huge_array<item> items = copy_of(p);
  sort_serially(all_of(items), p.n.cutoff);
  change(items);
  return judged({}, p, items);
}

TEST(Quicksort, SerialSortVerifies) {
  const timed run = sorted_and_changed([](huge_array<item>&) {});
  EXPECT_TRUE(run.verified) << run.complaint;
}

TEST(Quicksort, UnsortedItemIsNamed) {
  const timed run = sorted_and_changed([](huge_array<item>& found) { std::swap(found[0], found[5'000]); });
  EXPECT_FALSE(run.verified);
  EXPECT_EQ(run.complaint, "item 1 is smaller than the one before it");
}

TEST(Quicksort, SortedButNoPermutationIsSeen) {
  // Two items changed so that their sum stays: the hash tells.
  const timed run = sorted_and_changed([](huge_array<item>& found) {
    --found[5'000];
    ++found[5'001];
  });
  EXPECT_FALSE(run.verified);
  EXPECT_EQ(run.complaint, "sorted, but no permutation of the input");
}

}  // namespace
}  // namespace bench::quicksort
