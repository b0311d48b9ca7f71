// The suite `fib`: Fibonacci numbers by the doubly recursive definition, the parallel tree in its purest form. With a
// cutoff and a busy loop in each leaf the work hides the scheduler; without a cutoff there is nothing but the
// scheduler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"

namespace bench::fib {

inline constexpr row_of_time row_cutoff{"cutoff20", "us"};
inline constexpr row_of_time row_no_cutoff{"no_cutoff", "ns"};

/// Of row_cutoff: fib(k) is a leaf where k <= cutoff.
struct cutoff_size {
  unsigned n;
  unsigned cutoff;
  std::uint64_t iterations;  ///< of busy_loop(), each leaf: the source's 500,000 at scale::full, else a tenth of them
};
[[nodiscard]] cutoff_size cutoff_size_at(scale s);

/// Of row_no_cutoff.
[[nodiscard]] unsigned n_at(scale s);
/// The same for Go, at 0.6 us a node, and Boost.Fiber, at 2.5 us: smaller where a repetition would take seconds (10 s
/// at scale::full), and still long enough for its time a node to be compared.
[[nodiscard]] unsigned n_of_go_at(scale s);
[[nodiscard]] unsigned n_of_boost_fiber_at(scale s);

/// The result of a subtree of row_cutoff. Every leaf has a number, which seeds its busy loop: a leaf that ran twice for
/// another is seen in the checksum.
struct leaves {
  std::uint64_t value = 0;
  std::uint64_t count = 0;
  std::uint64_t checksum = 0;

  friend leaves operator+(const leaves& a, const leaves& b) {
    return {a.value + b.value, a.count + b.count, a.checksum + b.checksum};
  }
};

/// The kernel: fib(n) by plain recursion, then the busy loop. The leaves of a tree are numbered from `number` on.
[[nodiscard, gnu::noinline]] leaves leaf(unsigned n, std::uint64_t number, std::uint64_t iterations);

/// The leaves below a node, so that its right subtree knows the number of its first leaf.
[[nodiscard]] std::uint64_t leaves_below(unsigned n, unsigned cutoff);

/// The result of a subtree of row_no_cutoff; nodes are counted on the way up, without a shared counter.
struct nodes {
  std::uint64_t value = 0;
  std::uint64_t count = 0;
};

/// A node with its two subtrees, or fib(0) and fib(1).
[[nodiscard]] constexpr nodes joined(const nodes& a, const nodes& b) {
  return {a.value + b.value, a.count + b.count + 1};
}
[[nodiscard]] constexpr nodes end_of_recursion(unsigned n) { return {n, 1}; }

/// fib(n) by calls: what a spawn is measured against.
[[nodiscard, gnu::noinline]] nodes plain_call(unsigned n);

/// In another way than the recursions: by addition from below.
[[nodiscard]] std::uint64_t fibonacci(unsigned n);
/// 2 fib(n + 1) - 1.
[[nodiscard]] std::uint64_t nodes_of(unsigned n);

[[nodiscard]] timed judged(timed run, const cutoff_size& n, const leaves& found);
[[nodiscard]] timed judged(timed run, unsigned n, const nodes& found);

}  // namespace bench::fib
