#include "queues/suite.hpp"

#include <cmath>
#include <fmt/format.h>

#include "framework/plan_builder.hpp"
#include "library/convert.hpp"
#include "library/kinds.hpp"
#include "queues/contenders.hpp"
#include "queues/problem_counters.hpp"
#include "queues/tables.hpp"

namespace bench {
namespace {

using namespace queues;
namespace queue = ramie::queue;

/// Adds one row, or those of one run, for every kind, so that they are interleaved.
class adder {
 public:
  adder(plan_builder& to, const options& o) : m_to(to), m_options(o), m_kinds(kinds_to_compare(o)) {}

  /// `run(once)` is a repetition: once(how) is a run with this row's items and blocks.
  template <class Run>
  void add(const std::vector<row_name>& rows, unsigned threads, unsigned bytes, const queue::block_shape& blocks,
           const Run& run) const {
    for (const queue::kind kind : m_kinds) {
      queue::settings chosen;
      chosen.capacity = capacity;
      chosen.blocks = blocks;
      const auto once = [kind, chosen, bytes](const setup& how) { return run_ramie(kind, chosen, bytes, how); };
      m_to.add_samples(
          "ramie", threads, rows, [run, once] { return run(once); }, {}, std::string(queue::name_of(kind)));
    }
  }

  /// The blocks that the user chose, for the rows that stand beside other runtimes.
  [[nodiscard]] queue::block_shape blocks() const { return library_options(m_options, 1).queue_settings.blocks; }
  /// The source's for items of so many bytes: 8 × 64 of four, 4 × 256 of eight.
  [[nodiscard]] queue::block_shape blocks_of_source(unsigned bytes) const {
    const queue::grant granting = blocks().granting;
    return bytes == 4 ? queue::block_shape{8, 64, granting} : queue::block_shape{4, 256, granting};
  }

 private:
  plan_builder& m_to;
  const options& m_options;
  std::vector<queue::kind> m_kinds;
};

void add_owner_alone(plan_builder& b, const adder& ours, const setup& how) {
  setup half = how;  // two runs a repetition: the clock between filling and draining is not in the pairs
  half.seconds /= 2;
  setup half_timed = half;
  half_timed.owner = pattern::fill_and_drain_timed;
  const std::vector<row_name> rows{{row_push_pop, "ns"}, {row_push, "ns"}, {row_pop, "ns"}};
  ours.add(rows, 1, 8, ours.blocks(),
           [half, half_timed](const auto& once) { return samples_of_push_and_pop(once(half), once(half_timed)); });
  b.add_samples("plain_ring", 1, rows, [half, half_timed] {
    return samples_of_push_and_pop(run_plain_ring(half), run_plain_ring(half_timed));
  });
  const std::string ms = fmt::format("{:.0f}", std::ceil(how.seconds * 1e3));
  b.add_program("queues_crossbeam", "crossbeam", 1, std::vector<row_name>{{row_push_pop, "ns"}}, {"0", ms});

  setup shallow = how;
  shallow.owner = pattern::one_at_a_time;
  ours.add({{row_depth_one, "ns"}}, 1, 8, ours.blocks(),
           [shallow](const auto& once) { return samples_of_pairs(once(shallow), row_depth_one); });
  b.add_samples("plain_ring", 1, {{row_depth_one, "ns"}},
                [shallow] { return samples_of_pairs(run_plain_ring(shallow), row_depth_one); });
  b.add_program("queues_crossbeam", "crossbeam", 1, std::vector<row_name>{{row_depth_one, "ns"}}, {"1", ms});
}

void add_one_thief(plan_builder& b, const adder& ours, setup how) {
  how.thieves = 1;
  const std::vector<row_name> rows{{row_with_thief, "ns"}, {row_steals, "1/us"}};
  ours.add(rows, 2, 8, ours.blocks(), [how](const auto& once) { return samples_with_thief(once(how)); });
  b.add_program("queues_crossbeam", "crossbeam", 2, rows, {"2", fmt::format("{:.0f}", std::ceil(how.seconds * 1e3))});
}

void add_sweep(const adder& ours, const options& o, setup how) {
  how.seconds = point_seconds(o);
  for (const point& p : points_at(o.scale())) {
    how.thieves = p.thieves;
    how.steals_a_second = p.thieves == 0 ? flat_out : p.steals_a_second;
    how.count = p.thieves == 0;
    ours.add({{p.row(), "op/s"}}, p.thieves + 1, p.bytes, ours.blocks_of_source(p.bytes),
             [how, row = p.row()](const auto& once) { return samples_of_throughput(once(how), row); });
  }
}

void add_steals(const adder& ours, setup how) {
  how.thieves = 2;
  ours.add({{row_status, "%"}}, 3, 4, ours.blocks_of_source(4),
           [how](const auto& once) { return samples_of_status(once(how)); });
  how.time_steals = true;
  how.steals_a_second = 1e5;
  for (const unsigned thieves : {1U, 5U}) {
    how.thieves = thieves;
    const std::string row = fmt::format("steal_latency_{}t", thieves);
    ours.add({{row, "ns"}}, thieves + 1, 4, ours.blocks_of_source(4),
             [how, row](const auto& once) { return samples_of_latency(once(how), row); });
  }
}

void add_waits(const adder& ours, setup how) {
  how.owner = pattern::steady;
  how.thieves = 1;
  how.steals_a_second = 1e6;
  ours.add({{row_wait, "us"}}, 2, 8, ours.blocks(), [how](const auto& once) { return samples_of_waits(once(how)); });
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const adder ours(b, o);
  setup how;
  how.seconds = o.repetition_seconds();
  how.pin = o.pin;
  add_owner_alone(b, ours, how);
  add_one_thief(b, ours, how);
  add_sweep(ours, o, how);
  add_steals(ours, how);
  add_waits(ours, how);
  b.note(
      "push_pop, push_pop_thief: ns a pair, owner's time; steals: a microsecond, by one thief flat out in the same "
      "run. "
      "plain_ring: an array, a head and a tail, for one thread.");
  if (b.peers()) {
    b.note(
        "crossbeam begins with 64 cells, grows, and shrinks again as it is drained, as it always does; ours have room "
        "for 1,024 from the start.");
  }
  b.note(
      "throughput_<bytes of an item>b_<thieves>t_<steals a second, all thieves>: pushes, pops and steals a second; "
      "blocks 8x64 and 4x256 as the source. steal_latency: 100,000 steals a second in all.");
  b.note(
      "wait_p99: how long an item of a half full queue waits until it is taken, beside a thief of 1,000,000 steals a "
      "second; starved: longer than 1 ms.");
  const std::string why = hardware_counters::why_absent();
  if (!why.empty()) b.note(fmt::format("No hardware counters here ({}): nothing to compare with table 5.2.", why));
  return b.take();
}

}  // namespace

suite queues_suite() {
  return {.name = "queues",
          .summary = "each kind of queue by itself: an owner, up to five thieves, no runtime",
          .make_plan = make_plan,
          .in_child = {},
          .text_after = queue_tables};
}

}  // namespace bench
