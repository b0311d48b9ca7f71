// Drivers: their scenarios hold, and each step of the protocol, left out, is missed by one of them.
#include <model/scenarios/drivers.hpp>

#include <support/repetitions.hpp>
#include <support/test_name.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace ramie::model {
namespace {

class DriverScenario : public ::testing::TestWithParam<driver_scenario> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DriverScenario);
INSTANTIATE_TEST_SUITE_P(Model, DriverScenario, ::testing::ValuesIn([] {
                           return RAMIE_TSAN != 0 ? std::vector<driver_scenario>() : driver_scenarios();
                         }()),
                         [](const auto& info) { return test::test_name(info.param.name); });

TEST_P(DriverScenario, Holds) {
  const report found = check(GetParam().name, [] { GetParam().body(without::nothing); }, GetParam().within);
  EXPECT_TRUE(found.ok()) << found.text();
  EXPECT_GT(found.complete, 0U);
}

struct left_out {
  const char* name;
  without what;
};

class DriverWithout : public ::testing::TestWithParam<left_out> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DriverWithout);
INSTANTIATE_TEST_SUITE_P(Model, DriverWithout, ::testing::ValuesIn([] {
                           using enum without;
                           const std::vector<left_out> all = {
                               {"a_watch", watch},
                               {"a_watch_before_the_last_look", watch_before_look},
                               {"a_last_look_at_drivers", look_at_drivers},
                               {"another_timekeeper", another_timekeeper},
                               {"the_end_of_a_watch_first", end_of_watch_first},
                               {"the_end_of_search_before_a_nap", end_of_search},
                               {"the_look_before_a_nap", look_before_nap},
                               {"retraction_before_poll", retraction_before_poll},
                               {"the_count_of_polls", count_of_polls},
                               {"the_poll_that_a_look_has_asked_for", reap_when_due},
                               {"a_look_at_the_next_driver", next_driver},
                               {"a_look_where_its_own_driver_wants_each_poll", look_at_others},
                               {"the_turn_to_reap", turn_of_reap},
                               {"the_turn_to_attach", turn_of_attach},
                               {"the_turn_to_detach", turn_of_detach},
                               {"its_own_timers", own_timers},
                               {"a_look_whether_there_is_a_timekeeper", one_timekeeper},
                               {"detach", detach},
                               {"the_detach_before_the_hand_over", hand_over_last},
                               {"the_poll_after_attach", poll_after_attach},
                               {"another_attempt_to_attach", attach_again},
                               {"an_end_of_sleep", end_of_sleep},
                               {"the_second_look_at_heaps", second_look_at_heaps},
                               {"the_timers_of_others", timers_of_others},
                               {"the_interrupt_of_the_timekeeper", interrupt_of_keeper},
                               {"the_timekeeper_that_is_owed", owed_timekeeper},
                               {"the_end_of_keeping_time", end_of_keeping}};
                           return test::sanitized ? std::vector<left_out>() : all;
                         }()),
                         [](const auto& info) { return info.param.name; });

TEST_P(DriverWithout, IsMissed) {
  for (const driver_scenario& each : driver_scenarios()) {
    const report found = explore(each.name, [&] { each.body(GetParam().what); }, each.within);
    if (found.ok()) continue;
    std::printf("[  mutant  ] without %s: killed by \"%s\": %s\n", GetParam().name, each.name.c_str(),
                found.what.c_str());
    return;
  }
  ADD_FAILURE() << "nobody misses it";
}

}  // namespace
}  // namespace ramie::model
