// The table of the suite `ablation`. It needs the suites.
#include <gtest/gtest.h>

#include "ablation/suite.hpp"
#include "framework/runner.hpp"

namespace bench {
namespace {

row_result row(const char* program, const char* runtime, unsigned workers, double median, bool verified = true) {
  row_result made;
  made.row = program;
  made.runtime = runtime;
  made.workers = workers;
  made.values.median = median;
  made.verified = verified;
  return made;
}

TEST(AblationTable, HasALineAnOptimization_AColumnAProgramAndThreads_AndMarksTheBest) {
  const std::string text = ablation_suite().text_after({
      row("mergesort", "base", 1, 20),
      row("mergesort", "const", 1, 10.5),
      row("mergesort", "base", 2, 12),
      row("mergesort", "const", 2, 6),
      row("mergesort", "futex", 2, 3, false),
      row("fib", "base", 1, 7),
  });
  EXPECT_EQ(
      text,
      "  ms, program/threads       MS/1       MS/2        F/1    gain\n"
      "    base                   20.00      12.00       7.00*      -\n"
      "    const                  10.50*      6.00*         -   2.00x\n"
      "    futex                      -          -          -       -\n"
      "    * the best of its column; gain: how many times as fast as the line it stands on, the programs with most\n"
      "      threads together. Within a fifth of 1 it is noise on most machines.\n");
}

}  // namespace
}  // namespace bench
