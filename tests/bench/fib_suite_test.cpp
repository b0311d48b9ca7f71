// The text of the suite `fib` about its sizes.
#include "fib/suite.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "fib/problem.hpp"
#include "framework/peers.hpp"

namespace {

std::string note_of_cutoff(const bench::options& o) {
  const bench::plan made = bench::fib_suite().make_plan(o, bench::peer_programs(false, ""));
  const auto note = std::find_if(made.notes.begin(), made.notes.end(),
                                 [](const std::string& each) { return each.starts_with("cutoff20: "); });
  return note == made.notes.end() ? "" : *note;
}

TEST(FibSuite, Full_IsTheSources) {
  const bench::fib::cutoff_size n = bench::fib::cutoff_size_at(bench::scale::full);
  EXPECT_EQ(n.n, 40U);
  EXPECT_EQ(n.cutoff, 20U);
  EXPECT_EQ(n.iterations, 500'000U);
}

TEST(FibSuite, LeavesThatAreShorterThanTheSources_AreTold) {
  bench::options o;
  EXPECT_NE(note_of_cutoff(o).find("50000 iterations after its recursion (the source: fib(40), 500000, as --full)."),
            std::string::npos)
      << note_of_cutoff(o);
  o.quick = true;
  EXPECT_NE(note_of_cutoff(o).find("(the source: fib(40), 500000, as --full)"), std::string::npos);
  o.quick = false;
  o.full = true;
  EXPECT_NE(note_of_cutoff(o).find("500000 iterations after its recursion."), std::string::npos);
  EXPECT_EQ(note_of_cutoff(o).find("source"), std::string::npos);
}

}  // namespace
