#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

struct by_fork_join {
  template <class First, class Second>
  static void both(First&& first, Second&& second) {
    ramie::fork_join(std::forward<First>(first), std::forward<Second>(second));
  }
};

struct by_spawn {
  template <class First, class Second>
  static void both(First&& first, Second&& second) {
    auto child = ramie::spawn(std::forward<Second>(second));
    first();
    child.join();
  }
};

template <class Parallel>
void merge_all(const merge_job& job, std::size_t grain) {
  if (job.size() <= grain) return merge(job);
  const auto halves = job.halves();
  Parallel::both([&] { merge_all<Parallel>(halves.first, grain); }, [&] { merge_all<Parallel>(halves.second, grain); });
}

template <class Parallel>
void sort(const slice& s, merging how, const size& n) {
  if (s.size <= n.cutoff) return s.sort_leaf();
  const auto halves = s.halves();
  Parallel::both([&] { sort<Parallel>(halves.first, how, n); }, [&] { sort<Parallel>(halves.second, how, n); });
  if (how == merging::parallel) return merge_all<Parallel>(s.merge_of_halves(), n.merge_grain);
  merge(s.merge_of_halves());
}

template <class Parallel>
timed run_as(const ramie::options& o, merging how, const problem& p) {
  arrays items(p);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    sort<Parallel>(items.all(), how, p.n);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace

timed run_ramie(const ramie::options& o, merging how, const problem& p) { return run_as<by_fork_join>(o, how, p); }
timed run_ramie_spawn(const ramie::options& o, merging how, const problem& p) { return run_as<by_spawn>(o, how, p); }

}  // namespace bench::mergesort
