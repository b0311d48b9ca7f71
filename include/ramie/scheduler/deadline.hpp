// Not for users.
//
// Deadlines, as the scheduler keeps them.
#pragma once

#include <ramie/base/time.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace ramie::detail {

/// Nanoseconds of the steady clock.
using deadline_ns = std::int64_t;
inline constexpr deadline_ns no_deadline = std::numeric_limits<deadline_ns>::max();
inline constexpr deadline_ns past_deadline = 0;

[[nodiscard]] inline deadline_ns deadline_of(std::chrono::steady_clock::time_point when) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count();
}
/// As idle drivers and parked threads take it.
[[nodiscard]] inline std::chrono::steady_clock::time_point time_of(deadline_ns when) {
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::nanoseconds(when)));
}
[[nodiscard]] inline std::optional<std::chrono::steady_clock::time_point> time_if_any(deadline_ns when) {
  if (when == no_deadline) return std::nullopt;
  return time_of(when);
}

}  // namespace ramie::detail
