// The kernels that all runtimes share, and that a wrong result is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include "kernel/splitmix.hpp"
#include "mergesort/problem.hpp"

namespace bench::mergesort {
namespace {

using items = std::vector<item>;

items random_items(std::size_t n, item below, std::uint64_t seed) {
  splitmix random(seed);
  items made(n);
  for (item& each : made) each = random.below(below);
  return made;
}

items sorted(items of) {
  std::sort(of.begin(), of.end());
  return of;
}

TEST(Mergesort, LeafOfAnySizeIsSortedWhereItShallLie) {
  for (std::size_t n = 0; n < 300; ++n) {
    const items input = random_items(n, 100, n);
    for (const bool into_buffer : {false, true}) {
      items data = input;
      items buffer(n);
      sort_leaf(data.data(), buffer.data(), n, into_buffer);
      ASSERT_EQ(into_buffer ? buffer : data, sorted(input)) << n << " items";
    }
  }
}

TEST(Mergesort, RunsOfAnySizesAreMerged) {
  for (const item below : {1U, 10U, 1'000'000U}) {
    for (const std::size_t a_size : {0U, 1U, 2U, 7U, 100U, 1001U}) {
      for (const std::size_t b_size : {0U, 1U, 3U, 64U, 101U, 5000U}) {
        const items a = sorted(random_items(a_size, below, 1));
        const items b = sorted(random_items(b_size, below, 2));
        items expected(a_size + b_size);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
        items found(a_size + b_size);
        const merge_job whole{a.data(), a_size, b.data(), b_size, found.data()};
        merge(whole);
        ASSERT_EQ(found, expected);
        for (const std::size_t count : {std::size_t{0}, whole.size() / 3, whole.size() / 2, whole.size()}) {
          std::fill(found.begin(), found.end(), 0);
          const auto [first, rest] = whole.split_at(count);
          EXPECT_EQ(first.size(), count);
          merge(rest);
          merge(first);
          ASSERT_EQ(found, expected) << "split at " << count;
        }
      }
    }
  }
}

TEST(Mergesort, RunsThatDoNotOverlapAreMerged) {
  const items low = sorted(random_items(500, 1000, 1));
  items high = low;
  for (item& each : high) each += 1000;
  items expected = low;
  expected.insert(expected.end(), high.begin(), high.end());
  items found(1000);
  merge({high.data(), 500, low.data(), 500, found.data()});
  EXPECT_EQ(found, expected);
  merge({low.data(), 500, high.data(), 500, found.data()});
  EXPECT_EQ(found, expected);
}

timed sorted_and_changed(const std::function<void(huge_array<item>&)>& change) {
  const problem& p = problem_of({.items = 10'000, .cutoff = 200, .merge_grain = 500});
  arrays all(p);
  sort_serially(all.all(), p.n.cutoff);
  change(all.data());
  return judged({}, p, all.data());
}

TEST(Mergesort, SerialSortVerifies) {
  const timed run = sorted_and_changed([](huge_array<item>&) {});
  EXPECT_TRUE(run.verified) << run.complaint;
}

TEST(Mergesort, UnsortedItemIsNamed) {
  const timed run = sorted_and_changed([](huge_array<item>& found) { std::swap(found[0], found[5'000]); });
  EXPECT_FALSE(run.verified);
  EXPECT_EQ(run.complaint, "item 1 is smaller than the one before it");
}

TEST(Mergesort, SortedButNoPermutationIsNamed) {
  const timed run = sorted_and_changed([](huge_array<item>& found) { found[5'000] = found[5'001]; });
  EXPECT_FALSE(run.verified);
  EXPECT_NE(run.complaint.find("no permutation of the input: item 5000 is "), std::string::npos) << run.complaint;
}

}  // namespace
}  // namespace bench::mergesort
