#include "imbalanced/problem.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "kernel/busy_fibers.hpp"

namespace bench::imbalanced {

size size_at(scale s) {
  if (s == scale::tiny) return {.fibers = 64, .heavy = 10'000, .light = 100};
  // The source's at every other scale: a repetition takes a sixth of a second.
  return {.fibers = 1024, .heavy = 1'000'000, .light = 10'000};
}

timed judged(timed run, const size& n, const results& found) {
  return judged_loops(std::move(run), found, [&](std::size_t i) { return n.iterations(i); });
}

void worker_cycles::add_to(statistics& stats) const {
  std::uint64_t least = m_places.front().cycles;
  std::uint64_t most = least;
  double total = 0;
  for (std::size_t w = 0; w < m_places.size(); ++w) {
    const std::uint64_t mine = m_places[w].cycles;
    least = std::min(least, mine);
    most = std::max(most, mine);
    total += static_cast<double>(mine);
    stats[fmt::format("worker_cycles_{}", w)] = static_cast<double>(mine);
  }
  const double mean = total / static_cast<double>(m_places.size());
  if (mean > 0) stats["worker_cycles_spread"] = static_cast<double>(most - least) / mean;
}

std::vector<std::vector<std::size_t>> equal_shares(const size& n, unsigned workers) {
  std::vector<std::vector<std::size_t>> shares(workers);
  std::vector<std::uint64_t> work(workers);
  const auto deal_out = [&](std::uint64_t iterations) {
    for (std::size_t i = 0; i < n.fibers; ++i) {
      if (n.iterations(i) != iterations) continue;
      const auto least = std::min_element(work.begin(), work.end());
      *least += iterations;
      shares[static_cast<std::size_t>(least - work.begin())].push_back(i);
    }
  };
  deal_out(n.heavy);
  deal_out(n.light);
  return shares;
}

}  // namespace bench::imbalanced
