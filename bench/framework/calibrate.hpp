// Rows whose work has no size of its own (a switch, a yield): the number of operations is chosen so that a repetition
// takes about as long as the options say, whatever an operation costs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "framework/contender.hpp"
#include "framework/timed.hpp"

namespace bench {

using timed_loop = std::function<timed(std::uint64_t operations)>;

/// How many operations take about `target` seconds. Runs `loop` a few times with growing numbers, which also warms up.
[[nodiscard]] std::uint64_t calibrate(const timed_loop& loop, double target);

/// A contender for one row in nanoseconds an operation.
[[nodiscard]] contender per_operation(std::string runtime, unsigned workers, std::string queue, std::string row,
                                      double target, timed_loop loop);

}  // namespace bench
