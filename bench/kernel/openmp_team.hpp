// OpenMP with a given number of threads. Only for files that are compiled with OpenMP.
#pragma once

#include <utility>

#include "framework/timed.hpp"

namespace bench {

/// Runs body(), which may make tasks, on one of `workers` threads, which are awake when it begins, and returns its
/// result when all tasks are done.
template <class Body>
timed in_openmp(unsigned workers, Body&& body) {
  timed result;
  const int threads = static_cast<int>(workers);
#pragma omp parallel num_threads(threads) default(none) shared(result, body)
  {
    // All threads exist, and wait for tasks actively.
#pragma omp barrier
#pragma omp single
    result = body();
  }
  return result;
}

}  // namespace bench
