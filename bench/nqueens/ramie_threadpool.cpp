#include "kernel/thread_pool.hpp"
#include "nqueens/contenders.hpp"

namespace bench::nqueens {
namespace {

template <class Pool>
result every_node(Pool* pool, std::uint32_t all, const placement& p);

// Of the columns in `left`: the first child beside the others.
template <class Pool>
result children(Pool* pool, std::uint32_t all, const placement& p, std::uint32_t left) {
  if (left == 0) return {};
  const std::uint32_t others = left & (left - 1);
  const placement next = with_queen(p, lowest(left));
  if (others == 0) return every_node(pool, all, next);
  result first;
  result rest;
  fork_in(
      pool, [&](Pool* in) { first = every_node(in, all, next); },
      [&](Pool* in) { rest = children(in, all, p, others); });
  return first += rest;
}

template <class Pool>
result every_node(Pool* pool, std::uint32_t all, const placement& p) {
  result total{.solutions = p.columns == all ? 1U : 0U, .tasks = 1};
  total += children(pool, all, p, free_columns(all, p));
  return total;
}

struct start {
  std::uint32_t all;
  const placement* from;
  result* found;

  void operator()(auto*) const { *found = task(all, *from); }
};

template <class Options>
timed run_in_pool(const Options& chosen, const depth_size& n) {
  const std::uint32_t all = all_columns(n.queens);
  std::vector<result> found;
  timed run = in_thread_pool(chosen, [&]<class Pool>(Pool* pool) {
    const stopwatch watch;
    const std::vector<placement> starts = placements(n);
    found.resize(starts.size());
    std::vector<start> tasks;
    std::vector<future_of<Pool>*> running;
    tasks.reserve(starts.size());
    running.reserve(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      tasks.push_back({all, &starts[i], &found[i]});
      running.push_back(submit(pool, tasks[i]));
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (running[i] == nullptr) {
        tasks[i](pool);
      } else {
        get_and_free(running[i]);
      }
    }
    return watch.stop(known_of(n.queens).nodes);
  });
  return judged(std::move(run), n, sum(found));
}

template <class Options>
timed run_in_pool(const Options& chosen, unsigned queens) {
  result found;
  timed run = in_thread_pool(chosen, [&](auto* pool) {
    const stopwatch watch;
    found = every_node(pool, all_columns(queens), {});
    return watch.stop(known_of(queens).nodes);
  });
  --found.tasks;  // the first call, for the empty board, is no task
  return judged(std::move(run), queens, found);
}

}  // namespace

timed run_threadpool(const thread_pool_options& chosen, const depth_size& n) { return run_in_pool(chosen, n); }
timed run_threadpool(const locked_pool_options& chosen, const depth_size& n) { return run_in_pool(chosen, n); }
timed run_threadpool(const thread_pool_options& chosen, unsigned queens) { return run_in_pool(chosen, queens); }
timed run_threadpool(const locked_pool_options& chosen, unsigned queens) { return run_in_pool(chosen, queens); }

}  // namespace bench::nqueens
