#include "simpson/problem.hpp"

#include <fmt/format.h>
#include <optional>

namespace bench::simpson {
namespace {

double estimate_of(double width, double begin, double middle, double end) {
  return width / 6 * (begin + 4 * middle + end);
}

}  // namespace

size size_at(scale s) {
  switch (s) {
    case scale::tiny: return {.from = 0.1, .tolerance = 1e-6};
    case scale::quick: return {.from = 0.0005, .tolerance = 1e-12};
    case scale::ordinary:
    case scale::full: break;
  }
  return {.from = 0.0001, .tolerance = 1e-12};
}

interval whole(const size& n) {
  const double middle = (n.from + 1) / 2;
  const double a = integrand(n.from);
  const double m = integrand(middle);
  const double b = integrand(1);
  return {n.from, 1, a, m, b, estimate_of(1 - n.from, a, m, b), n.tolerance};
}

step examine(const interval& of) {
  const double middle = (of.begin + of.end) / 2;
  const double half = middle - of.begin;
  const double left = integrand((of.begin + middle) / 2);
  const double right = integrand((middle + of.end) / 2);
  step found{{of.begin, middle, of.at_begin, left, of.at_middle, 0, of.tolerance},
             {middle, of.end, of.at_middle, right, of.at_end, 0, of.tolerance},
             false};
  found.left.estimate = estimate_of(half, of.at_begin, left, of.at_middle);
  found.right.estimate = estimate_of(half, of.at_middle, right, of.at_end);
  const double difference = found.left.estimate + found.right.estimate - of.estimate;
  found.good = std::abs(difference) <= 15 * of.tolerance;
  return found;
}

result step::leaf() const { return {left.estimate + right.estimate, 1}; }

result plain_call(const interval& of) {
  const step found = examine(of);
  if (found.good) return found.leaf();
  return joined(plain_call(found.left), plain_call(found.right));
}

const problem& problem_of(const size& n) {
  static std::optional<problem> kept;
  if (!kept || kept->n != n) kept = problem{n, plain_call(whole(n)).nodes};
  return *kept;
}

timed judged(timed run, const problem& p, const result& found) {
  const double tolerated = p.n.tolerance * static_cast<double>(p.nodes);
  if (!(std::abs(found.integral - exact(p.n)) <= tolerated)) {
    run.complaint = fmt::format("the integral is {} instead of {}", found.integral, exact(p.n));
  } else if (found.nodes != p.nodes) {
    run.complaint = fmt::format("{} nodes were visited instead of {}", found.nodes, p.nodes);
  }
  run.verified = run.complaint.empty();
  return run;
}

}  // namespace bench::simpson
