// The suite `contention`: how many looks into others' queues a steal costs, on the problem of `imbalanced`, with
// thieves that all look at worker 0 first and never pause, and with thieves that begin anywhere and back off.
#pragma once

#include "framework/timed.hpp"

namespace bench::contention {

inline constexpr const char* row_before = "contention_before";
inline constexpr const char* row_after = "contention_after";
inline constexpr const char* unit = "attempts/steal";

/// Attempts for each successful one. A run without a steal has no such figure: it is not verified, and says so.
[[nodiscard]] sample attempts_each(const char* row, timed run);

}  // namespace bench::contention
