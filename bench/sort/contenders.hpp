#pragma once

#include <ramie/scheduler/options.hpp>

#include "sort/problem.hpp"

namespace bench::sorting {

/// std::sort, or std::stable_sort.
[[nodiscard]] timed run_plain_call(const problem& p);
[[nodiscard]] timed run_ramie(const ramie::options& o, const problem& p);
/// parallel_sort, which is not stable: not for task::stable.
[[nodiscard]] timed run_tbb(unsigned workers, const problem& p);
/// Highway's vqsort, on one thread. Only by <.
[[nodiscard]] timed run_vqsort(const problem& p);

}  // namespace bench::sorting
