#pragma once

#include <ramie/c/threadpool_options.h>
#include <ramie/scheduler/options.hpp>

#include "ablation/locked_pool/locked_pool.h"
#include "mergesort/problem.hpp"

namespace bench::mergesort {

/// The sequential sort.
[[nodiscard]] timed run_plain_call(const problem& p);
/// By fork_join.
[[nodiscard]] timed run_ramie(const ramie::options& o, merging how, const problem& p);
/// One half spawned and joined, the other called.
[[nodiscard]] timed run_ramie_spawn(const ramie::options& o, merging how, const problem& p);
/// By tasks and futures of a thread pool, ramie's or the locked one.
[[nodiscard]] timed run_threadpool(const thread_pool_options& chosen, merging how, const problem& p);
[[nodiscard]] timed run_threadpool(const locked_pool_options& chosen, merging how, const problem& p);
/// The upper levels of the recursion split evenly over plain threads, with a barrier after each.
[[nodiscard]] timed run_control(unsigned workers, merging how, const problem& p);
[[nodiscard]] timed run_tbb(unsigned workers, merging how, const problem& p);
[[nodiscard]] timed run_openmp(unsigned workers, merging how, const problem& p);

}  // namespace bench::mergesort
