// OpenMP with a given number of threads. Only for files that are compiled with OpenMP.
#pragma once

#include <omp.h>

#include <utility>

#include "framework/timed.hpp"

namespace bench {

/// The threads of the parallel regions, with num_threads(threads()), that begin while it lives: they exist, and have
/// just come from a region, so they wait for the next one actively. libgomp's go on with that for milliseconds after
/// the last region, in the time of whoever is measured next; so they are given back at the end.
class openmp_team {
 public:
  explicit openmp_team(unsigned workers) : m_threads(static_cast<int>(workers)) {
#pragma omp parallel num_threads(m_threads)
    {
    }
  }
  ~openmp_team() { omp_pause_resource_all(omp_pause_soft); }
  openmp_team(const openmp_team&) = delete;
  openmp_team& operator=(const openmp_team&) = delete;

  [[nodiscard]] int threads() const { return m_threads; }

 private:
  int m_threads;
};

/// Runs body(), which may make tasks, on one of `workers` threads, which are awake when it begins, and returns its
/// result when all tasks are done.
template <class Body>
timed in_openmp(unsigned workers, Body&& body) {
  timed result;
  const openmp_team team(workers);
#pragma omp parallel num_threads(team.threads()) default(none) shared(result, body)
  {
    // Until the body makes tasks the others wait for them actively.
#pragma omp barrier
#pragma omp single
    result = body();
  }
  return result;
}

}  // namespace bench
