#pragma once

#include <ramie/scheduler/options.hpp>

#include "skynet/problem.hpp"

namespace bench::skynet {

/// By fork_join: the first child beside the others, and so on.
[[nodiscard]] timed run_ramie(const ramie::options& o, std::uint64_t leaves);
/// A fiber for each child.
[[nodiscard]] timed run_ramie_spawn(const ramie::options& o, std::uint64_t leaves);
/// Plain calls: the subtrees of the second level, split evenly over plain threads.
[[nodiscard]] timed run_control(unsigned workers, std::uint64_t leaves);
[[nodiscard]] timed run_plain_call(std::uint64_t leaves);
[[nodiscard]] timed run_tbb(unsigned workers, std::uint64_t leaves);

}  // namespace bench::skynet
