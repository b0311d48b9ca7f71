#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "quicksort/contenders.hpp"

namespace bench::quicksort {
namespace {

// One counter for all: nobody but the root waits, so no fiber keeps its stack while others sort, in whatever order a
// queue gives them out.
void sort(slice s, std::size_t cutoff, ramie::counter& running) {
  while (s.size > cutoff) {
    const auto [first, second] = partition(s);
    ramie::spawn_with_counter(running, [half = second, cutoff, &running] { sort(half, cutoff, running); });
    s = first;
  }
  sort_by_insertion(s);
}

void sort_both(slice s, std::size_t cutoff) {
  if (s.size <= cutoff) return sort_by_insertion(s);
  const auto halves = partition(s);
  ramie::fork_join([&] { sort_both(halves.first, cutoff); }, [&] { sort_both(halves.second, cutoff); });
}

}  // namespace

timed run_ramie_fork_join(const ramie::options& o, const problem& p) {
  huge_array<item> items = copy_of(p);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    sort_both(all_of(items), p.n.cutoff);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items);
}

timed run_ramie(const ramie::options& o, const problem& p) {
  huge_array<item> items = copy_of(p);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    ramie::counter running;
    sort(all_of(items), p.n.cutoff, running);
    ramie::wait_for_counter(running);
    return watch.stop(p.n.items);
  });
  return judged(std::move(run), p, items);
}

}  // namespace bench::quicksort
