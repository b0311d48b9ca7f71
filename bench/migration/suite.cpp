#include "migration/suite.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "framework/machine.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/cycles.hpp"
#include "library/convert.hpp"
#include "migration/contenders.hpp"

namespace bench {
namespace {

using namespace migration;

std::vector<row_name> rows(bool with_stolen) {
  if (with_stolen) return {{row_local, cycle_unit}, {row_stolen, cycle_unit}};
  return {{row_local, cycle_unit}};
}

// Where a busy machine gave the other workers no processor, there is nothing to compare: again, a few times.
outcome run_with_stolen(const ramie::options& chosen, const size& n) {
  const auto was_stolen = [](const visit& v) { return v.stolen; };
  outcome seen = run_ramie(chosen, n);
  for (int more = 20; more > 0 && seen.run.verified; --more) {
    if (std::ranges::any_of(seen.visits, was_stolen) && !std::ranges::all_of(seen.visits, was_stolen)) break;
    seen = run_ramie(chosen, n);
  }
  return seen;
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  for (const unsigned w : worker_list(o, {std::max(2U, usable_cpus())})) {
    const bool some_elsewhere = w > 1;
    const bool some_stolen = some_elsewhere && o.stealing == "on";
    b.add_samples("ramie", w, rows(some_stolen), [=] {
      const ramie::options chosen = library_options(o, w);
      return samples_of(some_stolen ? run_with_stolen(chosen, n) : run_ramie(chosen, n), some_stolen);
    });
    b.add_samples("control", w, rows(some_elsewhere), [=] { return samples_of(run_control(w, n), some_elsewhere); });
    if (!some_elsewhere) b.note("1 worker has nobody who could steal: no row of stolen fibers.");
  }
  if (o.stealing != "on") b.note("--stealing off: no row of stolen fibers.");
  b.note(
      fmt::format("{} a fiber, the mean: {} fibers add up {} KiB that their spawner has just written, and run {} "
                  "iterations; spawned in waves of {}.",
                  cycle_unit, n.waves * n.fibers, n.words * sizeof(std::uint64_t) / 1024, n.iterations, n.fibers));
  b.note(
      fmt::format("Fibers over {} times the median (disturbed) have lost their CPU and are not in the mean. "
                  "set_cycles: the addition alone, its median.",
                  disturbed_from));
  b.note("control: plain threads that split each wave; the first one has written it.");
  return b.take();
}

}  // namespace

suite migration_suite() {
  return {.name = "migration",
          .summary = "a fiber's cycles where its data was written, and where it was stolen to",
          .make_plan = make_plan};
}

}  // namespace bench
