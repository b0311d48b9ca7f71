// The suite `simpson`: adaptive integration by Simpson's rule, in which an interval whose halves disagree with the
// whole is divided. The integrand oscillates ever faster towards one end, so the tree is deep there and shallow
// elsewhere.
#pragma once

#include <cmath>
#include <cstdint>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"

namespace bench::simpson {

inline constexpr row_of_time row{"simpson", "ns"};

/// The integral of cos(1/x) / x² from `from` to 1, which is sin(1 / from) - sin(1).
struct size {
  double from;
  double tolerance;  ///< of each interval that is not divided
  bool operator==(const size&) const = default;
};
[[nodiscard]] size size_at(scale s);
[[nodiscard]] inline double exact(const size& n) { return std::sin(1 / n.from) - std::sin(1.0); }

[[nodiscard]] inline double integrand(double x) {
  const double inverse = 1 / x;
  return std::cos(inverse) * inverse * inverse;
}

/// The result of a subtree, and the sum of them.
struct result {
  double integral = 0;
  std::uint64_t nodes = 0;
};
[[nodiscard]] inline result joined(const result& a, const result& b) {
  return {a.integral + b.integral, a.nodes + b.nodes + 1};
}

/// An interval with what is known of it.
struct interval {
  double begin, end;
  double at_begin, at_middle, at_end;  ///< the integrand
  double estimate;                     ///< Simpson's, of the whole
  double tolerance;
};
[[nodiscard]] interval whole(const size& n);

/// One step: the halves, and whether they say the same as the whole.
struct step {
  interval left, right;
  bool good;
  [[nodiscard]] result leaf() const;  ///< if so
};
[[nodiscard]] step examine(const interval& of);

/// By calls.
[[nodiscard, gnu::noinline]] result plain_call(const interval& of);

/// A size, and how many nodes its tree has. Found at the first call, by plain calls, and kept until another is asked
/// for. One thread.
struct problem {
  size n;
  std::uint64_t nodes;
};
[[nodiscard]] const problem& problem_of(const size& n);

[[nodiscard]] timed judged(timed run, const problem& p, const result& found);

}  // namespace bench::simpson
