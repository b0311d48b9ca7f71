// The suite `balanced`: fibers of equal length, all spawned by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"

namespace bench::balanced {

inline constexpr row_of_time row_stealing{"balanced", "us"};
inline constexpr row_of_time row_no_stealing{"balanced_stealing_off", "us"};

struct size {
  std::size_t fibers;
  std::uint64_t iterations;  ///< of busy_loop(), each fiber
};

[[nodiscard]] size size_at(scale s);

/// The i-th fiber writes busy_loop(i, iterations) into the i-th place. Zeroed before, so that a fiber that never ran is
/// seen (no result is zero by itself).
using results = std::vector<std::uint64_t>;

/// Judges `run` by the results; they are computed in another way, see busy_loop_result().
[[nodiscard]] timed judged(timed run, const size& n, const results& found);

}  // namespace bench::balanced
