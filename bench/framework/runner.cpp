#include "framework/runner.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <random>

#include "framework/usage.hpp"

namespace bench {
namespace {

/// The samples of one row while they come in.
struct collector {
  row_name name;
  std::vector<double> values;
  statistics sums;
  std::string complaint;
  bool failed = false;

  void fail(std::string why) {
    if (!failed) complaint = std::move(why);
    failed = true;
  }

  void add(const sample& s) {
    values.push_back(s.value);
    for (const auto& [stat, value] : s.stats) sums[stat] += value;
    if (!s.verified) fail(s.complaint.empty() ? "the result is wrong" : s.complaint);
  }

  [[nodiscard]] statistics means() const {
    statistics stats;
    for (const auto& [stat, sum] : sums) stats[stat] = sum / static_cast<double>(values.size());
    // A rate is of the totals: a mean of rates would weigh a repetition with three attempts like one with a million.
    stats.erase(stat_success_rate);
    const auto attempts = sums.find(stat_attempts);
    const auto steals = sums.find(stat_steals);
    if (attempts != sums.end() && steals != sums.end() && attempts->second > 0) {
      stats[stat_success_rate] = steals->second / attempts->second;
    }
    return stats;
  }
};

struct entrant {
  const contender* who;
  std::vector<collector> rows;
  bool out = false;  ///< failed: not repeated

  explicit entrant(const contender& c) : who(&c) {
    for (const row_name& row : c.rows) rows.push_back({.name = row, .values = {}, .sums = {}, .complaint = {}});
  }

  void fail(const std::string& why) {
    out = true;
    for (collector& row : rows) row.fail(why);
  }

  // An error while the run is being interrupted is no failure of the row: children are killed then.
  template <class Step>
  void attempt(const std::function<bool()>& stop, Step step) {
    try {
      step();
    } catch (const std::exception& problem) {
      if (!stop()) fail(problem.what());
    } catch (...) {
      if (!stop()) fail("threw something that is no std::exception");
    }
  }

  void prepare(const std::function<bool()>& stop) {
    if (who->prepare) attempt(stop, [&] { who->prepare(); });
  }

  void run_once(const std::function<bool()>& stop) {
    attempt(stop, [&] {
      const std::vector<sample> samples = who->run();
      // Ctrl-C during a repetition may have torn it, since children get the signal too: that is no failure of the row,
      // and takes nothing from the repetitions before.
      if (stop() && std::any_of(samples.begin(), samples.end(), [](const sample& s) { return !s.verified; })) return;
      for (collector& row : rows) {
        const auto s =
            std::find_if(samples.begin(), samples.end(), [&](const sample& x) { return x.row == row.name.row; });
        if (s == samples.end()) {
          row.fail("gave no result");
        } else {
          row.add(*s);
        }
        out = out || row.failed;
      }
    });
  }
};

}  // namespace

std::size_t steps_of(const plan& work, unsigned repetitions) {
  std::size_t steps = 0;
  for (const group& g : work.groups) steps += g.contenders.size() * (repetitions + 1UL);
  return steps;
}

std::vector<row_result> run_plan(const std::string& suite, const plan& work, const run_control& control) {
  std::vector<row_result> results;
  const std::size_t steps = steps_of(work, control.repetitions);
  std::size_t step = 0;
  bool stopped = false;

  for (const group& g : work.groups) {
    std::vector<entrant> entrants(g.contenders.begin(), g.contenders.end());
    std::vector<entrant*> order;
    for (entrant& e : entrants) order.push_back(&e);
    // Repetition 0 prepares. The others come each in another order, so that nobody always follows the same one, whose
    // heap and caches it finds.
    std::mt19937_64 random(control.seed);
    for (unsigned repetition = 0; repetition <= control.repetitions && !stopped; ++repetition) {
      if (repetition != 0) std::shuffle(order.begin(), order.end(), random);
      for (entrant* const each : order) {
        entrant& e = *each;
        stopped = stopped || control.stop();
        if (stopped) break;
        ++step;
        if (e.out) continue;
        control.on_step({suite, g.name, e.who->runtime, e.who->workers, repetition, control.repetitions, step, steps});
        if (repetition == 0) {
          e.prepare(control.stop);
        } else {
          e.run_once(control.stop);
        }
      }
    }
    stopped = stopped || control.stop();
    for (const entrant& e : entrants) {
      for (const collector& row : e.rows) {
        if (stopped && row.values.empty()) continue;
        results.push_back({.suite = suite,
                           .row = row.name.row,
                           .runtime = e.who->runtime,
                           .workers = e.who->workers,
                           .queue = e.who->queue,
                           .unit = row.name.unit,
                           .values = summarize(row.values),
                           .verified = !row.failed && !row.values.empty(),
                           .complaint = row.complaint,
                           .stats = row.means()});
      }
    }
    if (stopped) break;
  }
  return results;
}

}  // namespace bench
