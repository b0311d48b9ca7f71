// How many workers a runtime starts when nobody says.
#pragma once

#include <cstddef>
#include <optional>

namespace ramie::topology {

/// max(1, min(allowed, ceil(quota))). More workers than the quota would be throttled together, with a lock held by one.
[[nodiscard]] unsigned worker_count(std::size_t allowed, std::optional<double> quota) noexcept;

/// The same for the calling thread's affinity and this process's cgroups. Not cached: both may change.
[[nodiscard]] unsigned default_worker_count();

}  // namespace ramie::topology
