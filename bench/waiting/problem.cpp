#include "waiting/problem.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bench::waiting {

timed judged(timed run, std::uint64_t items, const tally& seen) {
  const tally sent = of_first(items);
  if (seen.count != sent.count) {
    run.complaint = fmt::format("{} items arrived instead of {}", seen.count, sent.count);
  } else if (seen.sum != sent.sum) {
    run.complaint = fmt::format("the items sum up to {} instead of {}", seen.sum, sent.sum);
  }
  run.verified = run.complaint.empty();
  return run;
}

timed judged(timed run, std::uint64_t seen) {
  run.verified = seen == run.operations;
  if (!run.verified) run.complaint = fmt::format("{} operations happened instead of {}", seen, run.operations);
  return run;
}

void add_worst_wait(timed& run, const std::vector<duration>& worst) {
  run.stats["worst_wait_us"] = static_cast<double>(std::max_element(worst.begin(), worst.end())->count()) / 1e3;
}

timed judged_scopes(timed run, std::uint64_t scopes, std::uint64_t sum) {
  const std::uint64_t expected = children * of_first(scopes).sum + scopes * of_first(children).sum;
  run.verified = sum == expected;
  if (!run.verified) run.complaint = fmt::format("the children's results sum up to {} instead of {}", sum, expected);
  return run;
}

std::uint64_t sleepers_at(scale s) {
  switch (s) {
    case scale::tiny: return 1'000;
    case scale::quick: return 20'000;
    case scale::ordinary:
    case scale::full: break;
  }
  return 1'000'000;
}

timed deadlines::judged(timed run) {
  std::sort(m_lateness.begin(), m_lateness.end());
  const auto us = [&](std::size_t i) { return static_cast<double>(m_lateness[i]) / 1e3; };
  run.seconds = run.stats[stat_cpu_seconds];
  run.stats["n"] = static_cast<double>(m_count);
  run.stats["p99_lateness_us"] = us(m_count * 99 / 100);
  run.stats["worst_lateness_us"] = us(m_count - 1);
  const auto early = std::lower_bound(m_lateness.begin(), m_lateness.end(), 0) - m_lateness.begin();
  run.verified = early == 0;
  if (!run.verified) run.complaint = fmt::format("{} of {} sleepers woke early or not at all", early, m_count);
  return run;
}

}  // namespace bench::waiting
