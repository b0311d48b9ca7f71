// oneTBB with a given number of threads.
#pragma once

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <utility>

namespace bench {

/// Runs body() in an arena of `workers` threads, which are awake when it begins, and returns its result.
template <class Body>
auto in_tbb(unsigned workers, Body&& body) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] { tbb::parallel_for(0U, workers * 64, [](unsigned) {}); });
  return arena.execute(std::forward<Body>(body));
}

}  // namespace bench
