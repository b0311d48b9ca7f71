#pragma once

#include <ramie/scheduler/options.hpp>

#include "balanced/problem.hpp"

namespace bench::balanced {

[[nodiscard]] timed run_ramie(const ramie::options& o, const size& n);
/// The same work split evenly over plain threads.
[[nodiscard]] timed run_control(unsigned workers, const size& n);
/// A kernel thread for each of the fibers.
[[nodiscard]] timed run_std_thread(const size& n);
[[nodiscard]] timed run_tbb(unsigned workers, const size& n);

}  // namespace bench::balanced
