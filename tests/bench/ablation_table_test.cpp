// The table of the suite `ablation`. It needs the suites.
#include <array>
#include <gtest/gtest.h>
#include <vector>

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
      "  ms, program/threads    MQNSF/2       MS/1       MS/2        F/1    gain\n"
      "    base                       -      20.00      12.00       7.00*      -\n"
      "    const                      -      10.50*      6.00*         -   2.00x\n"
      "    futex                      -          -          -          -       -\n"
      "    * the best of its column; MQNSF: all programs with most threads added up, as in the source; gain:\n"
      "      how many times as fast as the line it stands on, those programs together. Within a fifth of 1 it is\n"
      "      noise on most machines.\n");
}

// As the source's own lines: 6.23 + 4.77 + 7.95 + 2.13 + 3.06 = 24.14.
TEST(AblationTable, ItsFirstColumnIsTheSourcesTotal_OfTheTimesWithMostThreads) {
  std::vector<row_result> rows;
  const auto add = [&](const char* runtime, unsigned workers, std::array<double, 5> times) {
    std::size_t i = 0;
    for (const char* program : {"mergesort", "quicksort", "nqueens", "simpson", "fib"})
      rows.push_back(row(program, runtime, workers, times[i++]));
  };
  add("base", 16, {7.45, 4.88, 12.00, 1.67, 9.99});
  add("base", 32, {6.23, 4.77, 7.95, 2.13, 3.06});
  add("const", 32, {6.26, 4.85, 7.90, 2.25, 3.17});
  const std::string text = ablation_suite().text_after(rows);
  const auto line = [&](const std::string& of) {
    const std::size_t begin = text.find("    " + of + " ");
    return begin == std::string::npos ? "" : text.substr(begin, 33);
  };
  EXPECT_EQ(text.substr(0, 33), "  ms, program/threads   MQNSF/32 ") << text;
  EXPECT_EQ(line("base"), "    base                   24.14*") << text;
  EXPECT_EQ(line("const"), "    const                  24.43 ") << text;
}

}  // namespace
}  // namespace bench
