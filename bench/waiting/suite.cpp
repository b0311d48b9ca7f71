#include "waiting/suite.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "framework/machine.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"
#include "million/contenders.hpp"
#include "million/problem.hpp"
#include "waiting/contenders.hpp"
#include "waiting/problem.hpp"

namespace bench {
namespace {

using namespace waiting;

enum peer : unsigned { go = 1, tokio = 2, crossbeam = 4, boost = 8, threads = 16 };

/// A row and the peers that have it; ramie has all.
struct entry {
  const char* row;
  unsigned peers;

  [[nodiscard]] bool has(peer one) const { return (peers & one) != 0; }
};

constexpr std::array rows{
    entry{row_channel_pingpong, go | tokio | crossbeam | boost},
    entry{row_channel_1_1, go | tokio | crossbeam | boost},
    entry{row_channel_4_4, go | tokio | crossbeam | boost},
    entry{row_channel_unbounded_1_1, tokio | crossbeam},
    entry{row_select_2, go | tokio},
    entry{row_select_16, go | tokio},
    entry{row_select_stop, go | tokio},
    entry{row_mutex_free, go | tokio | boost | threads},
    entry{row_mutex_100, go | tokio | boost | threads},
    entry{row_mutex_100_yield, go | tokio | boost | threads},
    entry{row_mutex_threads, go | tokio | boost | threads},
    entry{row_semaphore, go | tokio | threads},
    entry{row_condvar_broadcast, go | tokio | boost | threads},
    entry{row_timer_cancelled, go | tokio},
    entry{row_scope_spawn_join, go | tokio | boost},
};

void add_row(plan_builder& b, const options& o, const entry& e) {
  for (const unsigned w : b.workers()) {
    b.add_per_operation("ramie", w, e.row, [=](std::uint64_t n) { return run_ramie(library_options(o, w), e.row, n); });
    if (!b.peers()) continue;
    if (e.has(go)) b.add_program_per_operation("waiting_go", "go", w, e.row);
    if (e.has(tokio)) b.add_program_per_operation("waiting_tokio", "tokio", w, e.row);
    if (e.has(tokio) && w == 1)
      b.add_program_per_operation("waiting_tokio", "tokio_current_thread", w, e.row, {"current_thread"});
    if (e.has(crossbeam)) b.add_program_per_operation("waiting_crossbeam", "crossbeam", w, e.row);
#if RAMIE_BENCH_BOOST_FIBER
    if (e.has(boost) && w == 1)
      b.add_per_operation("boost_fiber", w, e.row, [=](std::uint64_t n) { return run_boost_fiber(e.row, n); });
#endif
    if (e.has(threads))
      b.add_per_operation("std_thread", w, e.row, [=](std::uint64_t n) { return run_std(w, e.row, n); });
  }
}

/// As many of the sleepers as find room as in the suite `million`: in memory, and with guards before Linux 6.13.
std::uint64_t room_for(std::uint64_t sleepers) {
  const std::size_t room = std::min(available_memory() / 3 * 2 / million::memory_each, million::most_guarded_fibers());
  return std::min<std::uint64_t>(sleepers, std::max<std::size_t>(room / 1'000 * 1'000, 1'000));
}

void add_sleepers(plan_builder& b, const options& o) {
  const std::uint64_t wished = sleepers_at(o.scale());
  const std::uint64_t n = room_for(wished);
  constexpr row_of_time row{row_timers_fire, "ns"};
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row, [=] { return run_ramie(library_options(o, w), row.row, n); });
    const std::vector<std::string> arguments{row.row, std::to_string(n), std::to_string(w)};
    b.add_program("waiting_go", "go", w, row, arguments);
    b.add_program("waiting_tokio", "tokio", w, row, arguments);
#if RAMIE_BENCH_BOOST_FIBER
    if (b.peers() && w == 1) {
      b.add("boost_fiber", w, row, [=] { return run_boost_fiber(row.row, std::min(n, most_sleepers_of_boost)); });
    }
#endif
  }
  b.note(fmt::format(
      "timers_fire: CPU time of one of {} sleepers whose deadlines lie {} µs apart{}; lateness in the "
      "statistics. boost_fiber, which is slower: {} at most.",
      n, deadlines::spacing.count() / 1'000, n == wished ? "" : " (memory allows no more)", most_sleepers_of_boost));
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  for (const entry& e : rows) add_row(b, o, e);
  add_sleepers(b, o);
  tell_absent(b, {"boost_fiber"});
  b.note(
      "ns an item (channel_pingpong: one way), a lock with its unlock, a permit, a party woken, a deadline armed and "
      "cancelled, a child.");
  b.note(
      "crossbeam and std_thread are threads on as many processors. tokio has no channel without a buffer (one item "
      "instead), nor one for several receivers (they share a mutex); boost_fiber's buffers hold 1,023.");
  return b.take();
}

}  // namespace

suite waiting_suite() {
  return {.name = "waiting",
          .summary = "channels, select, mutexes, semaphore, condition variable, timers, scopes: a step of each",
          .make_plan = make_plan};
}

}  // namespace bench
