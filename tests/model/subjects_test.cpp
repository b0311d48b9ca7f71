// Every subject: its scenarios hold as it ships, and none of its faults survives them. Faults are not put in where a
// sanitizer would end the process for what they do, instead of letting a scenario find it.
#include <model/mutants.hpp>
#include <model/scenarios/scenario.hpp>

#include <support/repetitions.hpp>

#include <support/test_name.hpp>

#include <gtest/gtest.h>

namespace ramie::model {
namespace {

struct named_scenario {
  const subject* of;
  const scenario* what;
};

std::vector<named_scenario> all_scenarios() {
  std::vector<named_scenario> all;
  if (RAMIE_TSAN != 0) return all;  // one kernel thread: nothing that it could see, and ten times the time
  for (const subject& of : subjects()) {
    for (const scenario& each : of.scenarios) all.push_back({&of, &each});
  }
  return all;
}

class Scenario : public ::testing::TestWithParam<named_scenario> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Scenario);
INSTANTIATE_TEST_SUITE_P(Model, Scenario, ::testing::ValuesIn(all_scenarios()), [](const auto& info) {
  return test::test_name(info.param.of->header + " " + info.param.what->name);
});

TEST_P(Scenario, HoldsInEveryExecution) {
  const report found = check(GetParam().what->name, GetParam().what->body, GetParam().what->within);
  EXPECT_TRUE(found.ok()) << found.text();
  EXPECT_GT(found.complete, 0U);
}

class Mutants : public ::testing::TestWithParam<const subject*> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Mutants);
INSTANTIATE_TEST_SUITE_P(Model, Mutants, ::testing::ValuesIn([] {
                           std::vector<const subject*> all;
                           if (test::sanitized) return all;
                           for (const subject& each : subjects()) all.push_back(&each);
                           return all;
                         }()),
                         [](const auto& info) { return test::test_name(info.param->header); });

TEST_P(Mutants, NoneSurvives) {
  const hunt found = hunt_mutants(*GetParam());
  EXPECT_GT(found.killed, 0U);
  for (const mutant& each : found.survivors) {
    ADD_FAILURE() << each.text() << " survives every scenario: weaken it, add the scenario that it breaks, or say "
                  << "\"Kept\" in the comment above it, and why";
  }
}

}  // namespace
}  // namespace ramie::model
