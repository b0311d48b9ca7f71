#pragma once

#include <ramie/c/threadpool_options.h>
#include <ramie/scheduler/options.hpp>

#include "ablation/locked_pool/locked_pool.h"
#include "simpson/problem.hpp"

namespace bench::simpson {

/// By fork_join.
[[nodiscard]] timed run_ramie(const ramie::options& o, const problem& p);
/// By tasks and futures of a thread pool, ramie's or the locked one.
[[nodiscard]] timed run_threadpool(const thread_pool_options& chosen, const problem& p);
[[nodiscard]] timed run_threadpool(const locked_pool_options& chosen, const problem& p);
/// Plain calls: the intervals of some level, dealt out in turns to plain threads.
[[nodiscard]] timed run_control(unsigned workers, const problem& p);
[[nodiscard]] timed run_plain_call(const problem& p);
[[nodiscard]] timed run_tbb(unsigned workers, const problem& p);

}  // namespace bench::simpson
