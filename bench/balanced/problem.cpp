#include "balanced/problem.hpp"

#include <utility>

#include "kernel/busy_fibers.hpp"

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
  return judged_loops(std::move(run), found, [&](std::size_t) { return n.iterations; });
}

}  // namespace bench::balanced
