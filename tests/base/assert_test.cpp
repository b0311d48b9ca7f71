#include <ramie/base/assert.hpp>

#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace {

// "threadsafe": the child starts anew, so that other tests' threads do not matter.
class AssertDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void say_worker() noexcept { std::fputs("worker 3, fiber 7\n", stderr); }
void fail_again() noexcept { ramie::detail::fail("while dumping,"); }

TEST_F(AssertDeathTest, FailSaysTheSentenceAndAborts) {
  EXPECT_EXIT(ramie::detail::fail("counter destroyed with waiters;", "wait for them first"),
              testing::KilledBySignal(SIGABRT), "^ramie: counter destroyed with waiters; wait for them first\n");
}

TEST_F(AssertDeathTest, FailWithoutDetailEndsAtTheSentence) {
  EXPECT_EXIT(ramie::detail::fail("no runtime"), testing::KilledBySignal(SIGABRT), "^ramie: no runtime\n");
}

TEST_F(AssertDeathTest, FailAddsTheStateDump) {
  EXPECT_EXIT(
      {
        ramie::detail::set_state_dump(say_worker);
        ramie::detail::fail("misuse");
      },
      testing::KilledBySignal(SIGABRT), "ramie: misuse\nworker 3, fiber 7\n");
}

TEST_F(AssertDeathTest, FailureInsideTheDumpDoesNotDumpAgain) {
  EXPECT_EXIT(
      {
        ramie::detail::set_state_dump(fail_again);
        ramie::detail::fail("first");
      },
      testing::KilledBySignal(SIGABRT), "ramie: first\nramie: while dumping,\n");
}

TEST_F(AssertDeathTest, BrokenInvariantNamesSentenceFileAndCondition) {
  EXPECT_EXIT(
      ramie::detail::assertion_failed("bottom >= top", "the queue is consistent", std::source_location::current()),
      testing::KilledBySignal(SIGABRT),
      "ramie: invariant broken: the queue is consistent \\(.*assert_test.cpp:[0-9]+: bottom >= top\\)\n");
}

TEST_F(AssertDeathTest, OverlongConditionIsCutNotOverrun) {
  const std::string condition(4096, 'x');
  EXPECT_EXIT(ramie::detail::assertion_failed(condition.c_str(), "short", std::source_location::current()),
              testing::KilledBySignal(SIGABRT), "ramie: invariant broken: short .*xxx\n");
}

TEST_F(AssertDeathTest, AssertChecksExactlyWhereAssertionsAreOn) {
  int evaluated = 0;
  RAMIE_ASSERT(++evaluated > 0, "counts");
  EXPECT_EQ(evaluated, RAMIE_ASSERTIONS);
#if RAMIE_ASSERTIONS
  EXPECT_EXIT(RAMIE_ASSERT(1 + 1 == 3, "sums are right"), testing::KilledBySignal(SIGABRT),
              "ramie: invariant broken: sums are right .*1 \\+ 1 == 3");
#endif
}

}  // namespace
