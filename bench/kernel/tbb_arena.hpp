// oneTBB with a given number of threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <utility>

#include "kernel/rendezvous.hpp"

namespace bench {

/// Runs body() in an arena of `workers` threads, which are awake when it begins, and returns its result.
template <class Body>
auto in_tbb(unsigned workers, Body&& body) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  // One task for each thread, which keeps it until the others have theirs; the caller would do empty ones by itself.
  rendezvous all_awake(workers);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<unsigned>(0, workers, 1),
        [&](const tbb::blocked_range<unsigned>&) {
          all_awake.arrive();
          static_cast<void>(all_awake.spin(std::chrono::milliseconds(2)));
        },
        tbb::simple_partitioner());
  });
  return arena.execute(std::forward<Body>(body));
}

}  // namespace bench
