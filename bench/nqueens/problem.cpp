#include "nqueens/problem.hpp"

#include <array>
#include <fmt/format.h>
#include <stdexcept>

namespace bench::nqueens {
namespace {

void collect(std::uint32_t all, const placement& p, unsigned rows, std::vector<placement>& into) {
  if (rows == 0) return into.push_back(p);
  for (std::uint32_t left = free_columns(all, p); left != 0; left &= left - 1) {
    collect(all, with_queen(p, lowest(left)), rows - 1, into);
  }
}

using board = std::array<unsigned, most_queens>;  // the column of each row's queen

bool attacked(const board& queens, unsigned row, unsigned column) {
  for (unsigned above = 0; above < row; ++above) {
    const unsigned apart = queens[above] > column ? queens[above] - column : column - queens[above];
    if (apart == 0 || apart == row - above) return true;
  }
  return false;
}

std::uint64_t count_on_board(board& queens, unsigned size, unsigned row, unsigned rows) {
  if (row == rows) return 1;
  std::uint64_t count = 0;
  for (unsigned column = 0; column < size; ++column) {
    if (attacked(queens, row, column)) continue;
    queens[row] = column;
    count += count_on_board(queens, size, row + 1, rows);
  }
  return count;
}

timed judged(timed run, unsigned queens, std::uint64_t tasks, const result& found) {
  const std::uint64_t solutions = known_of(queens).solutions;
  if (found.solutions != solutions) {
    run.complaint = fmt::format("{} queens gave {} solutions instead of {}", queens, found.solutions, solutions);
  } else if (found.tasks != tasks) {
    run.complaint = fmt::format("{} tasks ran instead of {}", found.tasks, tasks);
  }
  run.verified = run.complaint.empty();
  return run;
}

}  // namespace

depth_size depth_size_at(scale s, unsigned depth) {
  switch (s) {
    case scale::tiny: return {.queens = 7, .depth = depth};
    case scale::quick: return {.queens = 12, .depth = depth};
    case scale::ordinary:
    case scale::full: break;
  }
  return {.queens = 14, .depth = depth};
}

unsigned queens_at(scale s) {
  switch (s) {
    case scale::tiny: return 6;
    case scale::quick: return 11;
    case scale::ordinary: break;
    case scale::full: return 14;
  }
  return 13;
}

std::vector<placement> placements(const depth_size& n) {
  std::vector<placement> found;
  collect(all_columns(n.queens), {}, n.depth, found);
  return found;
}

std::uint64_t solutions_from(std::uint32_t all, const placement& p) {
  if (p.columns == all) return 1;
  std::uint64_t found = 0;
  for (std::uint32_t left = free_columns(all, p); left != 0; left &= left - 1) {
    found += solutions_from(all, with_queen(p, lowest(left)));
  }
  return found;
}

result sum(const std::vector<result>& tasks) {
  result total;
  for (const result& each : tasks) total += each;
  return total;
}

known known_of(unsigned queens) {
  static constexpr std::array<known, most_queens> table{{{1, 1},
                                                         {0, 2},
                                                         {0, 5},
                                                         {2, 16},
                                                         {10, 53},
                                                         {4, 152},
                                                         {40, 551},
                                                         {92, 2'056},
                                                         {352, 8'393},
                                                         {724, 35'538},
                                                         {2'680, 166'925},
                                                         {14'200, 856'188},
                                                         {73'712, 4'674'889},
                                                         {365'596, 27'358'552}}};
  if (queens < 1 || queens > most_queens) throw std::out_of_range("nqueens: 1 to 14 queens");
  return table[queens - 1];
}

std::uint64_t placements_on_a_board(unsigned queens, unsigned rows) {
  board empty{};
  return count_on_board(empty, queens, 0, rows);
}

timed judged(timed run, const depth_size& n, const result& found) {
  return judged(std::move(run), n.queens, placements_on_a_board(n.queens, n.depth), found);
}

timed judged(timed run, unsigned queens, const result& found) {
  return judged(std::move(run), queens, known_of(queens).nodes, found);
}

}  // namespace bench::nqueens
