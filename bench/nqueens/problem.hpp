// The suite `nqueens`: all ways to place n queens on an n × n board, row by row. The subtrees differ much in size. A
// task for each valid placement of the first 1, 2 or 3 rows, all spawned by one; or a task at every node of the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"

namespace bench::nqueens {

inline constexpr row_of_time row_depth1{"depth1", "ns"};
inline constexpr row_of_time row_depth2{"depth2", "ns"};
inline constexpr row_of_time row_depth3{"depth3", "ns"};
inline constexpr row_of_time row_every_node{"every_node", "ns"};

inline constexpr unsigned most_queens = 14;

/// Of the rows with a depth: as many tasks as there are valid placements in the first `depth` rows.
struct depth_size {
  unsigned queens;
  unsigned depth;
};
[[nodiscard]] depth_size depth_size_at(scale s, unsigned depth);

/// Of row_every_node: how many queens.
[[nodiscard]] unsigned queens_at(scale s);

/// Some rows with a queen each, as seen from the row after them: a bit for each column that is taken, and for each that
/// a queen attacks along a diagonal.
struct placement {
  std::uint32_t columns = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

[[nodiscard]] constexpr std::uint32_t all_columns(unsigned queens) { return (1U << queens) - 1; }
/// A bit for each column in which the next row's queen may stand.
[[nodiscard]] constexpr std::uint32_t free_columns(std::uint32_t all, const placement& p) {
  return all & ~(p.columns | p.left | p.right);
}
[[nodiscard]] constexpr std::uint32_t lowest(std::uint32_t columns) { return columns & (~columns + 1); }
[[nodiscard]] constexpr placement with_queen(const placement& p, std::uint32_t column) {
  return {p.columns | column, (p.left | column) << 1U, (p.right | column) >> 1U};
}

/// The valid placements of the first `depth` rows.
[[nodiscard]] std::vector<placement> placements(const depth_size& n);

/// The kernel: the solutions that begin with p.
[[nodiscard, gnu::noinline]] std::uint64_t solutions_from(std::uint32_t all, const placement& p);

/// The result of a task, and the sum of them.
struct result {
  std::uint64_t solutions = 0;
  std::uint64_t tasks = 0;

  result& operator+=(const result& other) {
    solutions += other.solutions;
    tasks += other.tasks;
    return *this;
  }
};
/// The work of a task in the rows with a depth.
[[nodiscard]] inline result task(std::uint32_t all, const placement& p) { return {solutions_from(all, p), 1}; }
[[nodiscard]] result sum(const std::vector<result>& tasks);

/// The known answers for a board of 1 to most_queens queens.
struct known {
  std::uint64_t solutions;
  std::uint64_t nodes;  ///< valid placements of one row or more: what the time is divided by
};
[[nodiscard]] known known_of(unsigned queens);
/// Counted on a board of numbers instead of bits. Slow.
[[nodiscard]] std::uint64_t placements_on_a_board(unsigned queens, unsigned rows);

[[nodiscard]] timed judged(timed run, const depth_size& n, const result& found);
/// Of row_every_node.
[[nodiscard]] timed judged(timed run, unsigned queens, const result& found);

}  // namespace bench::nqueens
