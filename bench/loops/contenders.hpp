#pragma once

#include <ramie/scheduler/options.hpp>

#include "loops/problem.hpp"

namespace bench::loops {

/// A plain loop, in a fiber.
[[nodiscard]] timed run_plain_call(const problem& p);
[[nodiscard]] timed run_ramie(const ramie::options& o, const problem& p);
/// With TBB's automatic partitioner.
[[nodiscard]] timed run_tbb(unsigned workers, const problem& p);

}  // namespace bench::loops
