#include "migration/problem.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "kernel/busy_loop.hpp"
#include "kernel/cycles.hpp"

namespace bench::migration {
namespace {

// Any odd number: sets of different fibers have different sums.
constexpr std::uint64_t step = 0x9E37'79B9'7F4A'7C15U;

struct figures {
  std::size_t fibers = 0;
  std::size_t disturbed = 0;
  double mean = 0;  // of those that were not disturbed
  double median = 0;
  double set_median = 0;
};

double median_of(std::vector<std::uint64_t> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return static_cast<double>(*middle);
}

figures figures_of(const std::vector<visit>& visits, bool stolen) {
  figures f;
  std::vector<std::uint64_t> whole;
  std::vector<std::uint64_t> set;
  for (const visit& v : visits) {
    if (v.stolen != stolen) continue;
    whole.push_back(v.cycles);
    set.push_back(v.set_cycles);
  }
  f.fibers = whole.size();
  if (f.fibers == 0) return f;
  f.median = median_of(whole);
  f.set_median = median_of(std::move(set));
  double sum = 0;
  for (const std::uint64_t each : whole) {
    if (static_cast<double>(each) > f.median * disturbed_from) {
      ++f.disturbed;
    } else {
      sum += static_cast<double>(each);
    }
  }
  f.mean = sum / static_cast<double>(f.fibers - f.disturbed);
  return f;
}

sample sample_of(const char* row, const figures& f, const timed& run) {
  sample s{.row = row, .value = f.mean, .verified = run.verified, .complaint = run.complaint, .stats = run.stats};
  s.stats["fibers"] = static_cast<double>(f.fibers);
  if (f.fibers != 0) {
    s.stats["disturbed"] = static_cast<double>(f.disturbed);
    s.stats["median_cycles"] = f.median;
    s.stats["set_cycles"] = f.set_median;
  } else if (s.verified) {
    s.verified = false;
    s.complaint = row == std::string_view(row_stolen) ? "no fiber was stolen" : "every fiber was stolen";
  }
  return s;
}

}  // namespace

size size_at(scale s) {
  if (s == scale::tiny) return {.waves = 4, .fibers = 16, .words = 512, .iterations = 500};
  // 1024 fibers at every other scale; 16 sets of 4 KiB.
  return {.waves = 64, .fibers = 16, .words = 512, .iterations = 100'000};
}

void write_set(std::span<std::uint64_t> set, std::size_t id) {
  std::uint64_t value = id * step;
  for (std::uint64_t& word : set) word = value++;
}

visit visit_set(std::span<const std::uint64_t> set, std::uint64_t iterations) {
  visit found;
  const std::uint64_t start = cycles();
  std::uint64_t sum = 0;
  for (const std::uint64_t word : set) sum += word;
  asm volatile("" : "+r"(sum));  // here, not later
  found.set_cycles = cycles() - start;
  found.result = busy_loop(sum, iterations);
  found.cycles = cycles() - start;
  return found;
}

outcome judged(timed run, const size& n, std::vector<visit> visits) {
  for (std::size_t id = 0; id < n.waves * n.fibers; ++id) {
    const std::uint64_t sum = n.words * (id * step) + n.words * (n.words - 1) / 2;
    const std::uint64_t expected = busy_loop_result(sum, n.iterations);
    if (visits[id].result == expected) continue;
    run.complaint = fmt::format("fiber {} gave {:x} instead of {:x}", id, visits[id].result, expected);
    return {std::move(run), std::move(visits)};
  }
  run.verified = true;
  return {std::move(run), std::move(visits)};
}

std::vector<sample> samples_of(const outcome& o, bool with_stolen) {
  const figures local = figures_of(o.visits, false);
  std::vector<sample> samples{sample_of(row_local, local, o.run)};
  if (!with_stolen) return samples;
  const figures stolen = figures_of(o.visits, true);
  samples.push_back(sample_of(row_stolen, stolen, o.run));
  if (local.fibers == 0 || stolen.fibers == 0) return samples;
  if (local.mean > 0) samples.back().stats["penalty_percent"] = (stolen.mean / local.mean - 1) * 100;
  return samples;
}

}  // namespace bench::migration
