#pragma once

#include <ramie/c/threadpool_options.h>
#include <ramie/scheduler/options.hpp>

#include "ablation/locked_pool/locked_pool.h"
#include "quicksort/problem.hpp"

namespace bench::quicksort {

/// The sequential sort.
[[nodiscard]] timed run_plain_call(const problem& p);
/// A fiber for one half of every partition, all on one counter.
[[nodiscard]] timed run_ramie(const ramie::options& o, const problem& p);
/// Both halves by fork_join.
[[nodiscard]] timed run_ramie_fork_join(const ramie::options& o, const problem& p);
/// Both halves by tasks and futures of a thread pool, ramie's or the locked one.
[[nodiscard]] timed run_threadpool(const thread_pool_options& chosen, const problem& p);
[[nodiscard]] timed run_threadpool(const locked_pool_options& chosen, const problem& p);
/// The upper levels split over plain threads: each thread keeps one half of its part and hands the other on.
[[nodiscard]] timed run_control(unsigned workers, const problem& p);
[[nodiscard]] timed run_tbb(unsigned workers, const problem& p);

}  // namespace bench::quicksort
