#include "nqueens/problem.hpp"

#include <gtest/gtest.h>

namespace {

using namespace bench;
using namespace bench::nqueens;

TEST(Nqueens, KnownNumbers_AreThoseCountedOnABoard) {
  for (unsigned queens = 1; queens <= 8; ++queens) {
    EXPECT_EQ(known_of(queens).solutions, placements_on_a_board(queens, queens)) << queens;
    std::uint64_t nodes = 0;
    for (unsigned rows = 1; rows <= queens; ++rows) nodes += placements_on_a_board(queens, rows);
    EXPECT_EQ(known_of(queens).nodes, nodes) << queens;
  }
  EXPECT_EQ(known_of(12).solutions, 14'200U);
  EXPECT_EQ(known_of(14).solutions, 365'596U);
}

TEST(Nqueens, Kernel_FindsTheKnownNumberOfSolutions) {
  for (unsigned queens = 1; queens <= 9; ++queens) {
    EXPECT_EQ(solutions_from(all_columns(queens), {}), known_of(queens).solutions) << queens;
  }
}

TEST(Nqueens, FirstRows_HaveAsManyTasksAsTheSourceSays) {
  EXPECT_EQ(placements({.queens = 14, .depth = 1}).size(), 14U);
  EXPECT_EQ(placements({.queens = 14, .depth = 2}).size(), 156U);
  EXPECT_EQ(placements({.queens = 14, .depth = 3}).size(), 1'364U);
  for (const unsigned depth : {1U, 2U, 3U}) {
    EXPECT_EQ(placements({.queens = 14, .depth = depth}).size(), placements_on_a_board(14, depth));
  }
}

TEST(Nqueens, WrongResults_AreFound) {
  const depth_size n{.queens = 8, .depth = 2};
  EXPECT_TRUE(judged({}, n, {.solutions = 92, .tasks = 42}).verified);
  EXPECT_EQ(judged({}, n, {.solutions = 91, .tasks = 42}).complaint, "8 queens gave 91 solutions instead of 92");
  EXPECT_FALSE(judged({}, n, {.solutions = 91, .tasks = 42}).verified);
  EXPECT_EQ(judged({}, n, {.solutions = 92, .tasks = 43}).complaint, "43 tasks ran instead of 42");
  EXPECT_FALSE(judged({}, n, {.solutions = 92, .tasks = 43}).verified);
}

TEST(Nqueens, WrongResultsOfEveryNode_AreFound) {
  EXPECT_TRUE(judged({}, 8, {.solutions = 92, .tasks = 2'056}).verified);
  EXPECT_FALSE(judged({}, 8, {.solutions = 93, .tasks = 2'056}).verified);
  EXPECT_EQ(judged({}, 8, {.solutions = 92, .tasks = 2'055}).complaint, "2055 tasks ran instead of 2056");
}

}  // namespace
