#pragma once

#include <ramie/scheduler/options.hpp>

#include "imbalanced/problem.hpp"

namespace bench::imbalanced {

[[nodiscard]] timed run_ramie(const ramie::options& o, const size& n);
/// The same work on plain threads, in shares of equal length that somebody who knows the lengths has made beforehand.
[[nodiscard]] timed run_control(unsigned workers, const size& n);
[[nodiscard]] timed run_tbb(unsigned workers, const size& n);

}  // namespace bench::imbalanced
