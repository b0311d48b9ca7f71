#pragma once

#include <ramie/scheduler/options.hpp>

#include "heat/problem.hpp"

namespace bench::heat {

[[nodiscard]] timed run_ramie(const ramie::options& o, const size& n);
/// The rows shared out by their work over plain threads, which meet after each step.
[[nodiscard]] timed run_control(unsigned workers, const size& n);
/// Strip after strip, step after step.
[[nodiscard]] timed run_plain_call(const size& n);
[[nodiscard]] timed run_tbb(unsigned workers, const size& n);
[[nodiscard]] timed run_openmp(unsigned workers, const size& n);

}  // namespace bench::heat
