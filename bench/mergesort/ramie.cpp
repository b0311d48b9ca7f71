#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "mergesort/contenders.hpp"

namespace bench::mergesort {
namespace {

void merge_all(const merge_job& job, std::size_t grain) {
  if (job.size() <= grain) return merge(job);
  const auto [first, second] = job.halves();
  auto child = ramie::spawn([half = second, grain] { merge_all(half, grain); });
  merge_all(first, grain);
  child.join();
}

void sort(const slice& s, merging how, const size& n) {
  if (s.size <= n.cutoff) return s.sort_leaf();
  const auto [first, second] = s.halves();
  auto child = ramie::spawn([half = second, how, &n] { sort(half, how, n); });
  sort(first, how, n);
  child.join();
  if (how == merging::parallel) return merge_all(s.merge_of_halves(), n.merge_grain);
  merge(s.merge_of_halves());
}

}  // namespace

timed run_ramie(const ramie::options& o, merging how, const problem& p) {
  arrays items(p);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    sort(items.all(), how, p.n);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items.data());
}

}  // namespace bench::mergesort
