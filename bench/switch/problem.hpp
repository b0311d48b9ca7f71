// The suite `switch`: what it costs to hand control from one flow to another. Shared by all runtimes.
//
// All rows count operations and check that exactly as many happened as were asked for. Sizes are chosen by time
// (framework/calibrate.hpp), because the cheapest switch here is ten thousand times cheaper than the dearest.
#pragma once

#include <cstdint>
#include <fmt/format.h>

#include "framework/timed.hpp"

namespace bench::switching {

// One way: half of a ping-pong.
inline constexpr const char* row_raw = "raw";
inline constexpr const char* row_yield = "yield";
inline constexpr const char* row_counter_pingpong = "counter_pingpong";
inline constexpr const char* row_spawn_join = "spawn_join";
inline constexpr const char* row_futex_same_core = "futex_same_core";
inline constexpr const char* row_futex_two_cores = "futex_two_cores";
inline constexpr const char* row_condvar_same_core = "condvar_same_core";
inline constexpr const char* row_condvar_two_cores = "condvar_two_cores";

/// Stacks of the contexts that a contender makes itself.
inline constexpr std::size_t stack_bytes = 64 * 1024;

/// `seen` is what the loop counted on the far side.
[[nodiscard]] inline timed judged(timed run, std::uint64_t seen) {
  run.verified = seen == run.operations;
  if (!run.verified) run.complaint = fmt::format("{} operations happened instead of {}", seen, run.operations);
  return run;
}

}  // namespace bench::switching
