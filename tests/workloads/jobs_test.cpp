#include "jobs/contenders.hpp"

#include <gtest/gtest.h>

#include <ramie/job/job.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <support/repetitions.hpp>

#include <set>

#include "framework/usage.hpp"

namespace {

using namespace bench;
using namespace bench::jobs;

/// Every job of `b` as it should be, on two workers.
std::vector<tally> right_tallies(const batch& b) {
  std::vector<tally> found(2);
  for (std::uint64_t i = 0; i < b.all(); ++i) found[i % 2].add(i, work(b.iterations));
  return found;
}

std::string complaint_about(const batch& b, const std::vector<tally>& found) {
  const timed run = judged({}, b, found);
  EXPECT_EQ(run.verified, run.complaint.empty());
  return run.complaint;
}

TEST(Jobs, Work_IsTheSourcesArithmetic) {
  for (const int iterations : {0, 1, 2, 100, 2000}) {
    int result = 0;
    for (int i = 1; i <= iterations; ++i) result += (1 << (result & 3)) - i * 2;
    EXPECT_EQ(work(static_cast<std::uint32_t>(iterations)), static_cast<std::uint32_t>(result)) << iterations;
  }
}

TEST(Jobs, RightResult_Verifies) {
  const batch b = batch_at(scale::tiny, 100);
  EXPECT_EQ(complaint_about(b, right_tallies(b)), "");
}

TEST(Jobs, WrongSum_IsFound) {
  const batch b = batch_at(scale::tiny, 100);
  std::vector<tally> found = right_tallies(b);
  --found[1].results;
  EXPECT_NE(complaint_about(b, found).find("the results sum up to"), std::string::npos);
}

TEST(Jobs, JobThatNeverRanOrRanTwice_IsFound) {
  const batch b = batch_at(scale::tiny, 100);
  std::vector<tally> found = right_tallies(b);
  found[0].add(5, work(b.iterations));
  EXPECT_EQ(complaint_about(b, found), "901 jobs ran instead of 900");

  // Twice, and another one never: neither the count nor the results tell.
  found = right_tallies(b);
  tally other;
  other.add(6, 0);
  tally twice;
  twice.add(5, 0);
  found[0].numbers += twice.numbers - other.numbers;
  EXPECT_EQ(complaint_about(b, found), "900 jobs ran, but some twice and others never");
}

void collect(const tree& t, unsigned level, std::uint64_t number, std::set<std::uint64_t>& into) {
  EXPECT_TRUE(into.insert(number).second) << number;
  if (level + 1 == t.levels) return;
  for (unsigned i = 0; i < children_at(level); ++i) collect(t, level + 1, child_number(number, i), into);
}

TEST(Jobs, Tree_HasAsManyNumbersAsJobs) {
  for (const unsigned levels : {1U, 2U, 5U, 8U}) {
    const tree t{.levels = levels};
    std::set<std::uint64_t> numbers;
    collect(t, 0, 0, numbers);
    EXPECT_EQ(numbers.size(), t.jobs()) << levels;
  }
  EXPECT_EQ(tree_at(scale::ordinary).jobs(), 1'048'405U);
}

TEST(Jobs, WrongTree_IsFound) {
  const tree t = tree_at(scale::tiny);
  std::vector<tally> found(1);
  plain_tree(t, 0, 0, found[0]);
  EXPECT_TRUE(judged({}, t, found).verified);
  found[0].add(1, 1);
  EXPECT_FALSE(judged({}, t, found).verified);
  EXPECT_EQ(judged({}, t, found).complaint, "3926 jobs ran instead of 3925");
}

TEST(Jobs, RowOfWork_SaysItsIterations) {
  EXPECT_STREQ(row_of_work(700).row, "work_700");
  EXPECT_EQ(iterations_of(row_of_work(700).row), 700U);
  EXPECT_EQ(iterations_of("empty"), 0U);
  EXPECT_EQ(iterations_of("tree"), 0U);
}

class JobsOfRamie : public testing::TestWithParam<std::tuple<ramie::queue::kind, unsigned>> {
 protected:
  [[nodiscard]] static ramie::options chosen() {
    ramie::options o{.workers = std::get<1>(GetParam())};
    o.queue = std::get<0>(GetParam());
    return o;
  }
};

TEST_P(JobsOfRamie, EachRunsOnce) {
  const ramie::options o = chosen();
  for (const std::uint32_t iterations : {0U, 100U}) {
    const batch b = batch_at(scale::tiny, iterations);
    EXPECT_EQ(run_ramie(o, b).complaint, "");
    EXPECT_EQ(run_ramie_no_parents(o, b).complaint, "");
  }
  // More than a bounded queue holds.
  const batch many{.iterations = 10, .jobs = 10'000, .rounds = 1};
  EXPECT_EQ(run_ramie(o, many).complaint, "");
  EXPECT_EQ(run_ramie_no_parents(o, many).complaint, "");
  EXPECT_EQ(run_ramie(o, tree_at(scale::tiny)).complaint, "");
}

struct branch {
  unsigned level;

  void operator()(ramie::job::context& here) const {
    if (level == 12) return;
    for (unsigned i = 0; i < children_at(level); ++i) here.run_child(branch{level + 1});
  }
};

TEST_P(JobsOfRamie, TreesOneAfterAnother_LeaveNoMemoryBehind) {
  ramie::runtime runtime(chosen());
  runtime.start();
  runtime
      .spawn([] {
        std::size_t after_first = 0;
        for (int round = 0; round < 10; ++round) {
          ramie::job::handle root = ramie::job::create(branch{0});
          ramie::job::run(root);
          ramie::job::wait(root);
          if (round == 1) after_first = resident_bytes();
        }
        // 130,901 jobs of 64 bytes a round would be 8 MiB each. (Sanitizers keep what is freed, and look themselves.)
        if (!ramie::test::sanitized) {
          EXPECT_LT(resident_bytes(), after_first + (std::size_t{16} << 20U));
        }
      })
      .join();
  runtime.stop();
}

INSTANTIATE_TEST_SUITE_P(, JobsOfRamie,
                         testing::Combine(testing::Values(ramie::queue::kind::split, ramie::queue::kind::exchange),
                                          testing::Values(1U, 2U, 4U)),
                         [](const auto& info) {
                           return std::string(ramie::queue::name_of(std::get<0>(info.param))) + "_" +
                                  std::to_string(std::get<1>(info.param)) + "_workers";
                         });

}  // namespace
