#pragma once

#include <ramie/c/threadpool_options.h>
#include <ramie/scheduler/options.hpp>

#include "ablation/locked_pool/locked_pool.h"
#include "fib/problem.hpp"

// One function a runtime and row: the size's type says which row it is.
namespace bench::fib {

/// Both children spawned with a counter, as the source does it.
[[nodiscard]] timed run_ramie(const ramie::options& o, const cutoff_size& n);
/// By fork_join.
[[nodiscard]] timed run_ramie(const ramie::options& o, unsigned n);
/// One child spawned and joined, the other called.
[[nodiscard]] timed run_ramie_spawn(const ramie::options& o, unsigned n);
/// By tasks and futures of a thread pool, ramie's or the locked one: one child submitted, the other called.
[[nodiscard]] timed run_threadpool(const thread_pool_options& chosen, unsigned n);
[[nodiscard]] timed run_threadpool(const locked_pool_options& chosen, unsigned n);
/// The leaves split evenly over plain threads.
[[nodiscard]] timed run_control(unsigned workers, const cutoff_size& n);
/// Plain calls: the subtrees of the first levels, split evenly over plain threads by their size.
[[nodiscard]] timed run_control(unsigned workers, unsigned n);
[[nodiscard]] timed run_plain_call(unsigned n);

[[nodiscard]] timed run_tbb(unsigned workers, const cutoff_size& n);
[[nodiscard]] timed run_tbb(unsigned workers, unsigned n);
[[nodiscard]] timed run_openmp(unsigned workers, const cutoff_size& n);
[[nodiscard]] timed run_openmp(unsigned workers, unsigned n);
/// In a process of its own each time: the work-stealing algorithm of Boost.Fiber keeps its threads in a static list.
[[nodiscard]] timed run_boost_fiber(unsigned workers, const cutoff_size& n);
[[nodiscard]] timed run_boost_fiber(unsigned workers, unsigned n);

}  // namespace bench::fib
