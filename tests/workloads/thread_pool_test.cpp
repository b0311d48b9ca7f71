// The five fork/join programs of the suites, small: on ramie's thread pool, and on the locked one with each
// optimization of the suite `ablation`.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "ablation/problem.hpp"
#include "kernel/thread_pool.hpp"
#include "mergesort/contenders.hpp"
#include "nqueens/contenders.hpp"
#include "support/watchdog.hpp"

namespace bench {
namespace {

using namespace ablation;

class ThreadPoolWorkloadStress : public testing::TestWithParam<std::tuple<std::string, unsigned>> {
 protected:
  /// Calls test(options), of the one pool or the other.
  template <class Test>
  static void with_options(const Test& test) {
    const auto& [pool, workers] = GetParam();
    for (const line& each : lines()) {
      if (each.name == pool) return test(options_of(each, workers));
    }
    test(pool_options({}, workers));
  }
  const ramie::test::watchdog m_hung{std::get<0>(GetParam())};
};

timed run(const program& of, const locked_pool_options& chosen) { return of.run(chosen, sizes_at(scale::tiny)); }
timed run(const program& of, const thread_pool_options& chosen) { return of.run_ramie(chosen, sizes_at(scale::tiny)); }

std::vector<std::string> pools() {
  std::vector<std::string> all{"ramie"};
  for (const line& each : lines()) all.emplace_back(each.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(, ThreadPoolWorkloadStress,
                         testing::Combine(testing::ValuesIn(pools()), testing::Values(1U, 2U, 4U, 16U)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param)) + "_workers";
                         });

TEST_P(ThreadPoolWorkloadStress, RightResultsOfAllPrograms) {
  with_options([](const auto& chosen) {
    for (const program& each : programs()) {
      const timed one = run(each, chosen);
      EXPECT_TRUE(one.verified) << each.row.row << ": " << one.complaint;
    }
  });
}

// The rows that the suites have and `ablation` has not.
TEST_P(ThreadPoolWorkloadStress, RightResultsOfOtherRows) {
  with_options([](const auto& chosen) {
    const auto& merged = mergesort::problem_of(mergesort::size_at(scale::tiny));
    const timed sorted = run_threadpool(chosen, mergesort::merging::parallel, merged);
    EXPECT_TRUE(sorted.verified) << sorted.complaint;
    for (const unsigned depth : {1U, 2U, 3U}) {
      const timed queens = nqueens::run_threadpool(chosen, nqueens::depth_size_at(scale::tiny, depth));
      EXPECT_TRUE(queens.verified) << depth << ": " << queens.complaint;
    }
  });
}

locked_pool_options named(std::string_view name) {
  const auto all = lines();
  return options_of(*std::find_if(all.begin(), all.end(), [&](const line& each) { return each.name == name; }), 1);
}

TEST(Ablation, Lines_StandOnWhatWasKept_AndOnNothingElse) {
  EXPECT_FALSE(named("base").const_fields);
  const locked_pool_options padding = named("padding");
  EXPECT_TRUE(padding.const_fields && padding.pin && padding.delayed_sleep && padding.padding);
  const locked_pool_options reads = named("unsafe_reads");
  EXPECT_TRUE(reads.padding && reads.unsafe_reads);
  EXPECT_FALSE(reads.fewer_locks || reads.unsigned_ids);
  EXPECT_FALSE(named("futex").keep_heap);
  EXPECT_EQ(named("futex").push_limit, 0U);
}

}  // namespace
}  // namespace bench
