// The check sees a wrong distance, and the sequential search, with which all others are compared, is right itself.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "bfs/problem.hpp"

namespace bench::bfs {
namespace {

constexpr size small{.nodes = 2'000, .degree = 8, .grain = 16};

void run_to_end(search& s) {
  do s.expand(0, s.width());
  while (s.advance());
}

TEST(Bfs, SequentialSearchGivesTheDistancesOfAGraphThatIsKnown) {
  // 0 -> 1, 2; 1 -> 3; 2 -> 3; 3 -> 0; 4 -> 0
  graph g{.nodes = 5, .first = huge_array<std::uint32_t>(6), .targets = huge_array<node>(6)};
  std::size_t i = 0;
  for (const std::uint32_t first : {0U, 2U, 3U, 4U, 5U, 6U}) g.first[i++] = first;
  i = 0;
  for (const node target : {1U, 2U, 3U, 3U, 0U, 0U}) g.targets[i++] = target;
  huge_array<distance> found = all_unreached(5);
  huge_array<node> queue(5);
  EXPECT_EQ(search_with_queue(g, found, queue), 4U);
  EXPECT_EQ(std::vector<distance>(found.begin(), found.end()), (std::vector<distance>{0, 1, 1, 2, unreached}));
}

TEST(Bfs, SearchByLevelsGivesTheSame) {
  const problem& p = problem_of(small);
  search s(p.graph);
  run_to_end(s);
  const timed run = judged({}, p, s);
  EXPECT_TRUE(run.verified) << run.complaint;
  EXPECT_EQ(s.levels(), p.levels);
  EXPECT_EQ(run.stats.at("levels"), p.levels);
}

TEST(Bfs, WrongDistanceIsNamed) {
  const problem& p = problem_of(small);
  search s(p.graph);
  run_to_end(s);
  s.distances()[1234] = 77;
  const timed run = judged({}, p, s);
  EXPECT_FALSE(run.verified);
  EXPECT_NE(run.complaint.find("node 1234 has distance 77 instead of "), std::string::npos) << run.complaint;
}

TEST(Bfs, PieceThatNobodyExpandedIsNoticed) {
  const problem& p = problem_of(small);
  search s(p.graph);
  do s.expand(0, (s.width() + 1) / 2);
  while (s.advance());
  EXPECT_FALSE(judged({}, p, s).verified);
}

}  // namespace
}  // namespace bench::bfs
