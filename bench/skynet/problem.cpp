#include "skynet/problem.hpp"

#include <fmt/format.h>

namespace bench::skynet {

std::uint64_t leaves_at(scale s) { return s == scale::tiny ? 1'000 : 1'000'000; }

std::uint64_t leaves_of_go_at(scale s) { return s == scale::quick ? 100'000 : leaves_at(s); }

result plain_call(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return leaf(first);
  const std::uint64_t each = leaves / children;
  result total;
  for (unsigned i = 0; i < children; ++i) total += plain_call(first + i * each, each);
  return total;
}

timed judged(timed run, std::uint64_t leaves, const result& found) {
  const std::uint64_t sum = leaves * (leaves - 1) / 2;
  if (found.leaves != leaves) {
    run.complaint = fmt::format("{} leaves ran instead of {}", found.leaves, leaves);
  } else if (found.sum != sum) {
    run.complaint = fmt::format("the numbers of the leaves sum up to {} instead of {}", found.sum, sum);
  }
  run.verified = run.complaint.empty();
  return run;
}

}  // namespace bench::skynet
