#include "queues/problem.hpp"

#include <fmt/format.h>

#include "queues/problem_counters.hpp"

namespace bench::queues {
namespace {

sample from(const timed& run, const std::string& row, double value) {
  return {.row = row, .value = value, .verified = run.verified, .complaint = run.complaint, .stats = run.stats};
}

double a_second(std::uint64_t count, double seconds) { return static_cast<double>(count) / seconds; }

double us(double ns) { return ns * 1e-3; }

/// CPU time of all threads for each item that was taken.
void add_cpu_an_item(statistics& stats, const outcome& seen) {
  const auto taken = static_cast<double>(seen.owner.popped + seen.thieves.stolen);
  const auto cpu = stats.find(stat_cpu_seconds);
  if (taken > 0 && cpu != stats.end()) stats["cpu_ns_an_item"] = cpu->second * 1e9 / taken;
}

std::string frequency_name(double steals_a_second) {
  if (steals_a_second == flat_out) return "flat";
  if (steals_a_second >= 1e6) return fmt::format("{:.0f}m", steals_a_second / 1e6);
  return fmt::format("{:.0f}k", steals_a_second / 1e3);
}

}  // namespace

void thief_tally::add(const thief_tally& other) {
  stolen += other.stolen;
  lost_races += other.lost_races;
  empties += other.empties;
  stolen_sum += other.stolen_sum;
  latencies.add(other.latencies);
  waits.add(other.waits);
}

outcome judged(outcome seen) {
  timed& run = seen.run;
  run.operations = seen.owner.pushed + seen.owner.popped + seen.thieves.stolen;
  run.verified = false;
  const std::uint64_t out = seen.owner.popped + seen.thieves.stolen + seen.left;
  const std::uint64_t out_sum = seen.owner.popped_sum + seen.thieves.stolen_sum + seen.left_sum;
  if (seen.owner.pushed != out) {
    run.complaint = fmt::format("{} pushed, but {} popped + {} stolen + {} left", seen.owner.pushed, seen.owner.popped,
                                seen.thieves.stolen, seen.left);
  } else if (seen.owner.pushed_sum != out_sum) {
    run.complaint = fmt::format("as many items came out as went in, {}, but others: their sum is {} instead of {}", out,
                                out_sum, seen.owner.pushed_sum);
  } else if (seen.still_there != 0) {
    run.complaint = fmt::format("the queue is empty, but says that it holds {}", seen.still_there);
  } else if (seen.owner.pushed == 0) {
    run.complaint = "nothing was pushed";
  } else {
    run.verified = true;
  }
  if (seen.attempts() > 0) {
    run.stats[stat_steals] = static_cast<double>(seen.thieves.stolen);
    run.stats[stat_attempts] = seen.attempts();
    run.stats[stat_lost_races] = static_cast<double>(seen.thieves.lost_races);
    run.stats[stat_empties] = static_cast<double>(seen.thieves.empties);
  }
  for (std::size_t i = 0; seen.owner.counted && i < seen.owner.counters.size(); ++i) {
    run.stats[hardware_counters::names[i]] = static_cast<double>(seen.owner.counters[i]);
  }
  return seen;
}

std::vector<sample> samples_of_pairs(const outcome& seen, const char* row) {
  return {from(seen.run, row, seen.owner.seconds * 1e9 / seen.pairs())};
}

std::vector<sample> samples_of_push_and_pop(const outcome& untimed, const outcome& timed) {
  return {from(untimed.run, row_push_pop, untimed.owner.seconds * 1e9 / untimed.pairs()),
          from(timed.run, row_push, timed.owner.push_seconds * 1e9 / static_cast<double>(timed.owner.pushed)),
          from(timed.run, row_pop, timed.owner.pop_seconds * 1e9 / static_cast<double>(timed.owner.popped))};
}

std::vector<sample> samples_with_thief(const outcome& seen) {
  return {from(seen.run, row_with_thief, seen.owner.seconds * 1e9 / seen.pairs()),
          from(seen.run, row_steals, a_second(seen.thieves.stolen, seen.owner.seconds) * 1e-6)};
}

std::vector<sample> samples_of_throughput(const outcome& seen, const std::string& row) {
  const double owner = a_second(seen.owner.pushed + seen.owner.popped, seen.owner.seconds);
  const double thieves = a_second(seen.thieves.stolen, seen.owner.seconds);
  sample s = from(seen.run, row, owner + thieves);
  s.stats["owner_per_s"] = owner;
  s.stats["thieves_per_s"] = thieves;
  s.stats["owner_cpu_s"] = seen.owner.cpu_seconds;
  add_cpu_an_item(s.stats, seen);
  return {s};
}

std::vector<sample> samples_of_status(const outcome& seen) {
  const double attempts = seen.attempts();
  return {from(seen.run, row_status, attempts == 0 ? 0 : static_cast<double>(seen.thieves.stolen) * 100 / attempts)};
}

std::vector<sample> samples_of_latency(const outcome& seen, const std::string& row) {
  const histogram& times = seen.thieves.latencies;
  sample s = from(seen.run, row, times.quantile(0.5));
  s.stats["latency_mean"] = times.mean();
  s.stats["latency_q90"] = times.quantile(0.90);
  s.stats["latency_q99"] = times.quantile(0.99);
  times.each([&](std::uint64_t ns, std::uint64_t count) {
    s.stats[fmt::format("latency_ns_{}", ns)] = static_cast<double>(count);
  });
  return {s};
}

std::vector<sample> samples_of_waits(const outcome& seen) {
  histogram waits = seen.owner.waits;
  waits.add(seen.thieves.waits);
  std::uint64_t starved = seen.left_starved;
  waits.each([&](std::uint64_t ns, std::uint64_t count) { starved += ns >= starved_ns ? count : 0; });
  sample s = from(seen.run, row_wait, us(waits.quantile(0.99)));
  s.stats["wait_median_us"] = us(waits.quantile(0.50));
  s.stats["wait_hundredth_us"] = s.value;
  s.stats["wait_mean_us"] = us(waits.mean());
  s.stats["wait_variance_us"] = waits.variance() * 1e-6;
  s.stats["wait_most_us"] = us(static_cast<double>(waits.most()));
  s.stats["wait_thousandth_us"] = us(waits.quantile(0.999));
  s.stats["starved"] = static_cast<double>(starved);
  s.stats["taken"] = static_cast<double>(seen.owner.popped + seen.thieves.stolen);
  add_cpu_an_item(s.stats, seen);
  return {s};
}

std::string point::row() const {
  if (thieves == 0) return fmt::format("throughput_{}b_0t", bytes);
  return fmt::format("throughput_{}b_{}t_{}", bytes, thieves, frequency_name(steals_a_second));
}

std::vector<point> points_at(scale s) {
  std::vector<unsigned> thieves{1, 5};
  std::vector<double> frequencies{1e4, 1e5, 1e6, flat_out};
  if (s == scale::tiny || s == scale::quick) {
    thieves = {1, 2};
    frequencies = {1e5, flat_out};
  } else if (s == scale::full) {
    thieves = {1, 2, 3, 4, 5};
  }
  std::vector<point> points;
  for (const unsigned bytes : {4U, 8U}) {
    points.push_back({bytes, 0, 0});
    for (const unsigned t : thieves) {
      for (const double f : frequencies) points.push_back({bytes, t, f});
    }
  }
  return points;
}

double point_seconds(const options& o) {
  if (o.duration_ms != 0) return o.repetition_seconds();
  return o.repetition_seconds() / (o.full ? 1 : o.quick ? 4 : 2);
}

}  // namespace bench::queues
