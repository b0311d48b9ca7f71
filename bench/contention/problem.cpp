#include "contention/problem.hpp"

#include <fmt/format.h>

namespace bench::contention {

sample attempts_each(const char* row, timed run) {
  sample s{.row = row,
           .value = 0,
           .verified = run.verified,
           .complaint = std::move(run.complaint),
           .stats = std::move(run.stats)};
  s.stats["ms"] = run.seconds * 1e3;
  const double attempts = s.stats[stat_attempts];
  const double steals = s.stats[stat_steals];
  if (steals > 0) {
    s.value = attempts / steals;
  } else if (s.verified) {
    s.verified = false;
    s.complaint = fmt::format("nothing was stolen in {:.0f} attempts", attempts);
  }
  return s;
}

}  // namespace bench::contention
