#include <barrier>
#include <bit>
#include <utility>
#include <vector>

#include "kernel/static_threads.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

/// The recursion's first levels, from the whole down to at least one slice a thread.
std::vector<std::vector<slice>> levels_of(const slice& all, unsigned workers) {
  std::vector<std::vector<slice>> levels{{all}};
  while (levels.back().size() < workers) {
    std::vector<slice> below;
    for (const slice& s : levels.back()) {
      const auto [first, second] = s.halves();
      below.insert(below.end(), {first, second});
    }
    levels.push_back(std::move(below));
  }
  return levels;
}

/// The thread's share of a merge, found by itself.
merge_job share_of(const merge_job& job, unsigned thread, unsigned threads) {
  const std::size_t begin = job.size() * thread / threads;
  const std::size_t end = job.size() * (thread + 1) / threads;
  return job.split_at(end).first.split_at(begin).second;
}

}  // namespace

timed run_plain_call(const problem& p) {
  arrays items(p);
  const stopwatch watch;
  sort_serially(items.all(), p.n.cutoff);
  return judged(watch.stop(p.n.items), p, items.data());
}

timed run_control(unsigned workers, merging how, const problem& p) {
  arrays items(p);
  const auto levels = levels_of(items.all(), workers);
  std::barrier<> all_here(static_cast<std::ptrdiff_t>(workers));
  timed run = on_static_threads(workers, p.n.items, [&](unsigned thread) {
    const std::vector<slice>& lowest = levels.back();
    for (std::size_t i = thread; i < lowest.size(); i += workers) sort_serially(lowest[i], p.n.cutoff);
    all_here.arrive_and_wait();
    for (std::size_t depth = levels.size() - 1; depth-- > 0;) {
      const std::vector<slice>& level = levels[depth];
      if (how == merging::parallel) {
        for (const slice& s : level) merge(share_of(s.merge_of_halves(), thread, workers));
      } else {
        for (std::size_t i = thread; i < level.size(); i += workers) merge(level[i].merge_of_halves());
      }
      all_here.arrive_and_wait();
    }
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace bench::mergesort
