#include "fib/problem.hpp"

#include <fmt/format.h>

#include "kernel/busy_loop.hpp"

namespace bench::fib {
namespace {

// noinline keeps the compiler from unrolling the recursion several levels deep, which those of the peers do not do.
[[nodiscard, gnu::noinline]] std::uint64_t plain_fib(unsigned n) {
  return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2);
}

}  // namespace

cutoff_size cutoff_size_at(scale s) {
  switch (s) {
    case scale::tiny: return {.n = 16, .cutoff = 6, .iterations = 100};
    case scale::quick: return {.n = 34, .cutoff = 20, .iterations = 50'000};
    case scale::ordinary: break;
    case scale::full: return {.n = 40, .cutoff = 20, .iterations = 500'000};
  }
  return {.n = 40, .cutoff = 20, .iterations = 50'000};
}

unsigned n_at(scale s) {
  switch (s) {
    case scale::tiny: return 14;
    case scale::quick: return 27;
    case scale::ordinary: break;
    case scale::full: return 35;
  }
  return 32;
}

unsigned n_of_go_at(scale s) {
  switch (s) {
    case scale::tiny: return n_at(s);
    case scale::quick: return 24;
    case scale::ordinary: break;
    case scale::full: return 33;
  }
  return 31;
}

unsigned n_of_boost_fiber_at(scale s) {
  switch (s) {
    case scale::tiny: return n_at(s);
    case scale::quick: return 22;
    case scale::ordinary: break;
    case scale::full: return 29;
  }
  return 25;
}

leaves leaf(unsigned n, std::uint64_t number, std::uint64_t iterations) {
  return {.value = plain_fib(n), .count = 1, .checksum = busy_loop(number, iterations)};
}

std::uint64_t leaves_below(unsigned n, unsigned cutoff) {
  // As many as fib(n - cutoff + 2): 1 and 1 at the cutoff and below it, then as the numbers themselves.
  return n <= cutoff ? 1 : fibonacci(n - cutoff + 2);
}

nodes plain_call(unsigned n) {
  if (n < 2) return end_of_recursion(n);
  return joined(plain_call(n - 1), plain_call(n - 2));
}

std::uint64_t fibonacci(unsigned n) {
  std::uint64_t here = 0;
  std::uint64_t next = 1;
  for (unsigned i = 0; i < n; ++i) {
    const std::uint64_t after = here + next;
    here = next;
    next = after;
  }
  return here;
}

std::uint64_t nodes_of(unsigned n) { return 2 * fibonacci(n + 1) - 1; }

timed judged(timed run, const cutoff_size& n, const leaves& found) {
  leaves expected{.value = fibonacci(n.n), .count = leaves_below(n.n, n.cutoff)};
  for (std::uint64_t i = 0; i < expected.count; ++i) expected.checksum += busy_loop_result(i, n.iterations);
  if (found.value != expected.value) {
    run.complaint = fmt::format("fib({}) gave {} instead of {}", n.n, found.value, expected.value);
  } else if (found.count != expected.count) {
    run.complaint = fmt::format("{} leaves ran instead of {}", found.count, expected.count);
  } else if (found.checksum != expected.checksum) {
    run.complaint =
        fmt::format("the leaves' busy loops sum up to {:x} instead of {:x}", found.checksum, expected.checksum);
  }
  run.verified = run.complaint.empty();
  return run;
}

timed judged(timed run, unsigned n, const nodes& found) {
  if (found.value != fibonacci(n)) {
    run.complaint = fmt::format("fib({}) gave {} instead of {}", n, found.value, fibonacci(n));
  } else if (found.count != nodes_of(n)) {
    run.complaint = fmt::format("{} nodes were visited instead of {}", found.count, nodes_of(n));
  }
  run.verified = run.complaint.empty();
  return run;
}

}  // namespace bench::fib
