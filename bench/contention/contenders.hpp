#pragma once

#include <ramie/scheduler/options.hpp>

#include "contention/problem.hpp"
#include "imbalanced/problem.hpp"

namespace bench::contention {

/// `o` with the source's first version of stealing: scan from worker 0, no pause.
[[nodiscard]] ramie::options before(ramie::options o);
/// `o` with its second: scan from a random worker, exponential backoff.
[[nodiscard]] ramie::options after(ramie::options o);

/// The statistics are those of the time between the first spawn and the end of the last fiber.
[[nodiscard]] timed run_ramie(const ramie::options& o, const imbalanced::size& n);

}  // namespace bench::contention
