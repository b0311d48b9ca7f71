// Fibers that each run busy_loop() once: what `balanced` and `imbalanced` judge.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <vector>

#include "framework/timed.hpp"
#include "kernel/busy_loop.hpp"

namespace bench {

/// Judges `run` by the results: found[i] must be busy_loop(i, iterations(i)), which is computed in another way. A fiber
/// that never ran has left its zero, which no loop gives.
template <class Iterations>
[[nodiscard]] timed judged_loops(timed run, const std::vector<std::uint64_t>& found, const Iterations& iterations) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint64_t expected = busy_loop_result(i, iterations(i));
    if (found[i] == expected) continue;
    run.complaint = fmt::format("fiber {} gave {:x} instead of {:x}", i, found[i], expected);
    return run;
  }
  run.verified = true;
  return run;
}

}  // namespace bench
