// The runtimes of the suite `waiting`. Each function does about `operations` operations once, and says how many.
#pragma once

#include <ramie/scheduler/options.hpp>

#include <cstdint>

#include "framework/timed.hpp"

namespace bench::waiting {

/// One of the rows, by its name.
[[nodiscard]] timed run_ramie(const ramie::options& o, const char* row, std::uint64_t operations);
/// Threads on the first `cpus` processors that this one may use.
[[nodiscard]] timed run_std(unsigned cpus, const char* row, std::uint64_t operations);
#if RAMIE_BENCH_BOOST_FIBER
[[nodiscard]] timed run_boost_fiber(const char* row, std::uint64_t operations);
#endif

}  // namespace bench::waiting
