// The suite `heat`: diffusion on a square grid, step by step, in horizontal strips of which the middle third has four
// times the work.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/huge_array.hpp"

namespace bench::heat {

inline constexpr row_of_time row_stealing{"heat", "us"};
inline constexpr row_of_time row_no_stealing{"heat_stealing_off", "us"};

inline constexpr std::size_t strips = 64;
inline constexpr unsigned heavy_times = 4;

struct size {
  std::size_t side;  ///< of the grid, the rim included; a multiple of `strips`
  std::size_t steps;

  [[nodiscard]] std::size_t cells() const { return side * side; }
  [[nodiscard]] std::size_t rows_of_strip() const { return side / strips; }
};

[[nodiscard]] size size_at(scale s);

/// Temperatures from 0 to 1, row after row. The rim never changes.
using grid = std::vector<double>;

/// A hot upper rim, and hot discs of several sizes on a cold plate.
[[nodiscard]] grid initial(const size& n);

/// How often a strip is computed in a step.
[[nodiscard]] constexpr unsigned times_of(std::size_t strip) { return strip * 3 / strips == 1 ? heavy_times : 1; }

/// One step of the rows from `begin` to `end`, rim rows left out, computed `times` times: each inner cell becomes the
/// mean of itself and its four neighbours. The kernel of all runtimes.
[[gnu::noinline]] void relax_rows(const double* from, double* to, std::size_t side, std::size_t begin, std::size_t end,
                                  unsigned times);

/// The two grids that take turns.
class plate {
 public:
  explicit plate(const size& n) : m_size(n), m_grids{huge_array<double>(n.cells()), huge_array<double>(n.cells())} {
    const grid first = initial(n);
    for (huge_array<double>& cells : m_grids) std::copy(first.begin(), first.end(), cells.begin());
  }

  /// Of the steps 0, 1, …
  void relax_strip(std::size_t step, std::size_t strip) {
    const std::size_t rows = m_size.rows_of_strip();
    relax(step, strip * rows, (strip + 1) * rows, times_of(strip));
  }
  void relax(std::size_t step, std::size_t begin, std::size_t end, unsigned times) {
    relax_rows(m_grids[step % 2].data(), m_grids[(step + 1) % 2].data(), m_size.side, begin, end, times);
  }

  [[nodiscard]] std::span<const double> after(std::size_t steps) const {
    return {m_grids[steps % 2].data(), m_grids[steps % 2].size()};
  }

 private:
  size m_size;
  std::array<huge_array<double>, 2> m_grids;
};

/// The serial computation that results are compared with, in a loop of its own. Goes from `now` one step on.
void advance(const size& n, grid& now);

/// After all steps of `n`. Computed at the first call, and kept.
[[nodiscard]] const grid& expected(const size& n);

/// Judges `run` by the final grid, byte for byte.
[[nodiscard]] timed judged(timed run, const size& n, std::span<const double> found);

}  // namespace bench::heat
