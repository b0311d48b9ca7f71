#pragma once

#include <ramie/scheduler/options.hpp>

#include "bfs/problem.hpp"

namespace bench::bfs {

/// The sequential search.
[[nodiscard]] timed run_plain_call(const problem& p);
[[nodiscard]] timed run_ramie(const ramie::options& o, const problem& p);
/// Each frontier split evenly over plain threads, with a barrier between levels.
[[nodiscard]] timed run_control(unsigned workers, const problem& p);
[[nodiscard]] timed run_tbb(unsigned workers, const problem& p);
[[nodiscard]] timed run_openmp(unsigned workers, const problem& p);

}  // namespace bench::bfs
