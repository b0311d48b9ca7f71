#pragma once

#include <ramie/c/threadpool_options.h>
#include <ramie/scheduler/options.hpp>

#include "ablation/locked_pool/locked_pool.h"
#include "nqueens/problem.hpp"

// One function a runtime and kind of row: a depth, or (`queens`) a task at every node.
namespace bench::nqueens {

[[nodiscard]] timed run_ramie(const ramie::options& o, const depth_size& n);
/// A task at every node, by fork_join.
[[nodiscard]] timed run_ramie(const ramie::options& o, unsigned queens);
/// By spawns with a counter.
[[nodiscard]] timed run_ramie_spawn(const ramie::options& o, unsigned queens);
/// By tasks and futures of a thread pool, ramie's or the locked one.
[[nodiscard]] timed run_threadpool(const thread_pool_options& chosen, const depth_size& n);
[[nodiscard]] timed run_threadpool(const locked_pool_options& chosen, const depth_size& n);
[[nodiscard]] timed run_threadpool(const thread_pool_options& chosen, unsigned queens);
[[nodiscard]] timed run_threadpool(const locked_pool_options& chosen, unsigned queens);
/// The placements split evenly over plain threads.
[[nodiscard]] timed run_control(unsigned workers, const depth_size& n);
/// The kernel, once.
[[nodiscard]] timed run_plain_call(unsigned queens);

[[nodiscard]] timed run_tbb(unsigned workers, const depth_size& n);
[[nodiscard]] timed run_tbb(unsigned workers, unsigned queens);
[[nodiscard]] timed run_openmp(unsigned workers, const depth_size& n);
[[nodiscard]] timed run_openmp(unsigned workers, unsigned queens);

}  // namespace bench::nqueens
