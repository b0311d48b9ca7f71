#include "balanced/problem.hpp"

#include <fmt/format.h>

#include "kernel/busy_loop.hpp"

namespace bench::balanced {

size size_at(scale s) {
  switch (s) {
    case scale::tiny: return {.fibers = 64, .iterations = 1'000};
    case scale::quick: return {.fibers = 256, .iterations = 100'000};
    case scale::ordinary:
    case scale::full: break;
  }
  return {.fibers = 1024, .iterations = 100'000};
}

timed judged(timed run, const size& n, const results& found) {
  for (std::size_t i = 0; i < n.fibers; ++i) {
    const std::uint64_t expected = busy_loop_result(i, n.iterations);
    if (found[i] == expected) continue;
    run.complaint = fmt::format("fiber {} gave {:x} instead of {:x}", i, found[i], expected);
    return run;
  }
  run.verified = true;
  return run;
}

}  // namespace bench::balanced
