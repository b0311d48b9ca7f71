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
                           const std::vector<left_out> all = {{"a_watch", watch},
                                                              {"a_watch_before_the_last_look", watch_before_look},
                                                              {"a_last_look_at_drivers", look_at_drivers},
                                                              {"another_timekeeper", another_timekeeper},
                                                              {"the_end_of_a_watch_first", end_of_watch_first},
                                                              {"the_end_of_search_before_a_nap", end_of_search},
                                                              {"the_look_before_a_nap", look_before_nap},
                                                              {"retraction_before_poll", retraction_before_poll}};
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
