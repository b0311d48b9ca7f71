#include <ramie/ramie.hpp>

#include <array>

#include "library/run.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {
namespace {

// All that is below p with a queen in one of the columns `left`, of which there is at least one: the first of them
// beside the others, and so on.
result forked_below(std::uint32_t all, const placement& p, std::uint32_t left) {
  const placement next = with_queen(p, lowest(left));
  const std::uint32_t free = free_columns(all, next);
  const bool complete = next.columns == all;
  left &= left - 1;
  const auto node = [all, &next, free, complete] {
    result total{.solutions = complete ? 1U : 0U, .tasks = 1};
    if (free != 0) total += forked_below(all, next, free);
    return total;
  };
  if (left == 0) return node();
  auto [first, others] = ramie::fork_join(node, [all, &p, left] { return forked_below(all, p, left); });
  return first += others;
}

result forked(std::uint32_t all, const placement& p) {
  result total = forked_below(all, p, free_columns(all, p));
  ++total.tasks;
  return total;
}

result spawned(std::uint32_t all, const placement& p) {
  result total{.solutions = p.columns == all ? 1U : 0U, .tasks = 1};
  std::uint32_t left = free_columns(all, p);
  if (left == 0) return total;
  std::array<result, most_queens> below;
  unsigned children = 0;
  ramie::counter running;
  for (; left != 0; left &= left - 1) {
    ramie::spawn_with_counter(
        running, [all, next = with_queen(p, lowest(left)), &mine = below[children]] { mine = spawned(all, next); });
    ++children;
  }
  ramie::wait_for_counter(running);
  for (unsigned i = 0; i < children; ++i) total += below[i];
  return total;
}

timed run_every_node(const ramie::options& o, unsigned queens, result (*every_node)(std::uint32_t, const placement&)) {
  result found;
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    found = every_node(all_columns(queens), {});
    return watch.stop(known_of(queens).nodes);
  });
  --found.tasks;  // the first call, for the empty board, is no task
  return judged(std::move(run), queens, found);
}

}  // namespace

timed run_ramie(const ramie::options& o, const depth_size& n) {
  const std::uint32_t all = all_columns(n.queens);
  std::vector<result> found;
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    const std::vector<placement> starts = placements(n);
    found.resize(starts.size());
    ramie::counter running;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      ramie::spawn_with_counter(running, [&, i] { found[i] = task(all, starts[i]); });
    }
    ramie::wait_for_counter(running);
    return watch.stop(known_of(n.queens).nodes);
  });
  return judged(std::move(run), n, sum(found));
}

timed run_ramie(const ramie::options& o, unsigned queens) { return run_every_node(o, queens, &forked); }
timed run_ramie_spawn(const ramie::options& o, unsigned queens) { return run_every_node(o, queens, &spawned); }

}  // namespace bench::nqueens
