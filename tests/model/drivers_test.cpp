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
  std::vector<driver_scenario> (*missed_by)();
};

std::vector<left_out> all_left_out() {
  using enum without;
  return {{"a_watch", watch, sleeping_drivers},
          {"a_watch_before_the_last_look", watch_before_look, sleeping_drivers},
          {"a_last_look_at_drivers", look_at_drivers, sleeping_drivers},
          {"another_timekeeper", another_timekeeper, sleeping_drivers},
          {"the_end_of_a_watch_first", end_of_watch_first, sleeping_drivers},
          {"the_end_of_search_before_a_nap", end_of_search, sleeping_drivers},
          {"the_look_before_a_nap", look_before_nap, sleeping_drivers},
          {"retraction_before_poll", retraction_before_poll, sleeping_drivers},
          {"the_count_of_polls", count_of_polls, busy_looks},
          {"the_poll_that_a_look_has_asked_for", reap_when_due, busy_looks},
          {"a_look_at_the_next_driver", next_driver, busy_looks},
          {"a_look_where_its_own_driver_wants_each_poll", look_at_others, busy_looks},
          {"the_turn_to_reap", turn_of_reap, attached_drivers},
          {"the_turn_to_attach", turn_of_attach, attached_drivers},
          {"the_turn_to_detach", turn_of_detach, attached_drivers},
          {"detach", detach, attached_drivers},
          {"the_detach_before_the_hand_over", hand_over_last, attached_drivers},
          {"the_poll_after_attach", poll_after_attach, attached_drivers},
          {"another_attempt_to_attach", attach_again, attached_drivers},
          {"an_end_of_sleep_without_a_driver", end_of_sleep, attached_drivers},
          {"an_end_of_sleep", end_of_sleep, sleeping_until},
          {"the_second_look_at_heaps", second_look_at_heaps, sleeping_until},
          {"its_own_timers", own_timers, sleeping_until},
          {"the_timers_of_others", timers_of_others, sleeping_until},
          {"the_interrupt_of_the_timekeeper", interrupt_of_keeper, sleeping_until},
          {"the_timekeeper_that_is_owed", owed_timekeeper, sleeping_until},
          {"another_timekeeper_for_deadlines", another_timekeeper, sleeping_until},
          {"a_look_whether_there_is_a_timekeeper", one_timekeeper, sleeping_drivers},
          {"the_end_of_keeping_time", end_of_keeping, sleeping_until}};
}

class DriverWithout : public ::testing::TestWithParam<left_out> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DriverWithout);
INSTANTIATE_TEST_SUITE_P(Model, DriverWithout,
                         ::testing::ValuesIn(test::sanitized ? std::vector<left_out>() : all_left_out()),
                         [](const auto& info) { return info.param.name; });

TEST_P(DriverWithout, IsMissed) {
  for (const driver_scenario& each : GetParam().missed_by()) {
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
