// The suite `switch`: what it costs to hand control from one flow to another. Shared by all runtimes.
//
// All rows count operations and check that exactly as many happened as were asked for. Sizes are chosen by time
// (framework/calibrate.hpp), because the cheapest switch here is ten thousand times cheaper than the dearest.
#pragma once

#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "framework/calibrate.hpp"
#include "framework/usage.hpp"

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

/// Times one loop and judges it: `seen` is what the loop counted on the far side.
class stopwatch {
 public:
  [[nodiscard]] timed stop(std::uint64_t operations, std::uint64_t seen) const {
    timed result;
    result.seconds = std::chrono::duration<double>(clock::now() - m_start).count();
    result.operations = operations;
    result.verified = seen == operations;
    if (!result.verified) result.complaint = fmt::format("{} operations happened instead of {}", seen, operations);
    m_usage.add_to(result.stats);
    return result;
  }

 private:
  using clock = std::chrono::steady_clock;
  usage_meter m_usage;
  clock::time_point m_start = clock::now();
};

}  // namespace bench::switching
