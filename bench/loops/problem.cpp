#include "loops/problem.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "kernel/splitmix.hpp"

namespace bench::loops {

const problem& problem_of(algorithm a, std::size_t items) {
  static std::optional<problem> kept;
  if (kept && kept->algorithm == a && kept->input.size() == items) return *kept;
  kept.reset();
  kept.emplace(problem{a, huge_array<item>(items), huge_array<item>(a == algorithm::reduce ? 1 : items)});
  splitmix random(1);
  for (item& each : kept->input) each = random.next_32();
  huge_array<item>& expected = kept->expected;
  switch (a) {
    case algorithm::parallel_for:
      for (std::size_t i = 0; i < items; ++i) expected[i] = written_at(i);
      break;
    case algorithm::reduce: expected[0] = std::accumulate(kept->input.begin(), kept->input.end(), item{0}); break;
    case algorithm::inclusive_scan: std::partial_sum(kept->input.begin(), kept->input.end(), expected.begin()); break;
  }
  return *kept;
}

timed judged(timed run, const problem& p, const huge_array<item>& found) {
  const auto [wrong, right] = std::mismatch(found.begin(), found.end(), p.expected.begin());
  run.verified = wrong == found.end();
  if (!run.verified) run.complaint = fmt::format("item {} is {} instead of {}", wrong - found.begin(), *wrong, *right);
  return run;
}

}  // namespace bench::loops
