// Whole runs of the small scheduler: nothing is lost, nobody sleeps over work, the run ends. And each step of the
// protocol, left out, is missed by some run.
#include <model/scenarios/scenario.hpp>
#include <model/scenarios/whole_runs.hpp>

#include <support/test_name.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace ramie::model {
namespace {

class WholeRun : public ::testing::TestWithParam<whole_run> {};
INSTANTIATE_TEST_SUITE_P(Model, WholeRun, ::testing::ValuesIn(whole_runs()),
                         [](const auto& info) { return test::test_name(info.param.name); });

TEST_P(WholeRun, NothingIsLost_AndItEnds) {
  const report found = check(GetParam().name, [] { GetParam().body(planted::nothing); }, GetParam().within);
  EXPECT_TRUE(found.ok()) << found.text();
}

struct named_fault {
  const char* name;
  planted fault;
};

class LeftOut : public ::testing::TestWithParam<named_fault> {};
// Faults that seeds miss are found by walks, of which a sanitized build has too few.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LeftOut);
INSTANTIATE_TEST_SUITE_P(Model, LeftOut, ::testing::ValuesIn([] {
                           using enum planted;
                           const std::vector<named_fault> all = {
                               {"the_last_look_before_sleep", no_recheck},
                               {"the_push_before_the_notice", notice_before_push},
                               {"the_notice_of_a_batchs_rest", no_notice_of_rest},
                               {"the_notice_by_a_pop_that_gives", no_notice_by_pop},
                               {"the_notice_of_an_offered_fork", no_notice_of_offer},
                               {"the_request_before_sleep", no_request_of_forks},
                               {"the_look_of_the_last_searcher", no_look_by_finder},
                               {"the_wake_at_the_end", no_wake_at_the_end},
                               {"the_count_before_the_push", counted_after_push},
                               {"the_count_of_calls_after_they_ran", calls_counted_early},
                               {"leaving_before_publication", published_too_early},
                               {"letting_go_before_the_hand_over", written_after_hand_over}};
                           return test::sanitized ? std::vector<named_fault>() : all;
                         }()),
                         [](const auto& info) { return info.param.name; });

TEST_P(LeftOut, IsMissed) {
  std::uint64_t executions = 0;
  std::chrono::nanoseconds took{};
  for (const whole_run& each : whole_runs()) {
    const report found = explore(each.name, [&] { each.body(GetParam().fault); }, each.within);
    executions += found.complete + found.blocked;
    took += found.took;
    if (found.ok()) continue;
    std::printf("[  mutant  ] without %s: killed after %llu executions, %.1f ms, by \"%s\": %s\n", GetParam().name,
                static_cast<unsigned long long>(executions), static_cast<double>(took.count()) * 1e-6,
                each.name.c_str(), found.what.c_str());
    return;
  }
  ADD_FAILURE() << "nobody misses it";
}

TEST(ForkProtocol, TheNoticeWhereTheLaneSeemsFull_LeftOut_IsMissed) {
  EXPECT_FALSE(fork_beside_a_full_lane_silently().ok());
}

}  // namespace
}  // namespace ramie::model
