#include "contention/suite.hpp"

#include <fmt/format.h>

#include "contention/contenders.hpp"
#include "framework/machine.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace contention;

// Where a busy machine gave the other workers no processor, there is no figure: again, a few times.
timed run_with_steals(const ramie::options& chosen, const imbalanced::size& n) {
  timed run = run_ramie(chosen, n);
  for (int more = 20; more > 0 && run.verified && run.stats[stat_steals] == 0; --more) run = run_ramie(chosen, n);
  return run;
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const imbalanced::size n = imbalanced::size_at(o.scale());
  for (const unsigned w : worker_list(o, {4, 8})) {
    if (w < 2) {
      b.note("1 worker has nobody to steal from: no row.");
      continue;
    }
    // Both in one repetition, so that they are interleaved.
    b.add_samples("ramie", w, {{row_before, unit}, {row_after, unit}}, [=] {
      const ramie::options chosen = library_options(o, w);
      return std::vector<sample>{attempts_each(row_before, run_with_steals(before(chosen), n)),
                                 attempts_each(row_after, run_with_steals(after(chosen), n))};
    });
  }
  b.note(
      fmt::format("attempts/steal: looks into others' queues for each that brought something; {} fibers, every tenth "
                  "of {} iterations, the others of {}.",
                  n.fibers, n.heavy, n.light));
  b.note(
      "before: --victim sequential --backoff none. after: --victim random_start --backoff exponential. Workers never "
      "sleep. The rows set these, and --stealing and --spin; what the command line says of them is not heeded.");
  b.note(
      "A steal here may bring several fibers (stolen_items), the source's brings one. Most attempts fall in the "
      "last milliseconds, when all that is left is running: a time slice of a thief that shares its CPU makes them "
      "many.");
  b.note("No control: a static split steals nothing.");
  return b.take();
}

}  // namespace

suite contention_suite() {
  return {.name = "contention",
          .summary = "attempts a steal when thieves collide, and when they begin anywhere and back off",
          .make_plan = make_plan,
          .headline = row_after};
}

}  // namespace bench
