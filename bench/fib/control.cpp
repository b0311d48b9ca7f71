#include <utility>
#include <vector>

#include "fib/contenders.hpp"
#include "kernel/static_threads.hpp"

namespace bench::fib {
namespace {

// The argument of each leaf, by its number.
void collect_leaves(const cutoff_size& size, unsigned n, std::vector<unsigned>& into) {
  if (n <= size.cutoff) return into.push_back(n);
  collect_leaves(size, n - 1, into);
  collect_leaves(size, n - 2, into);
}

}  // namespace

timed run_control(unsigned workers, const cutoff_size& n) {
  std::vector<unsigned> arguments;
  collect_leaves(n, n.n, arguments);
  std::vector<leaves> found(workers);
  timed run = on_static_threads(workers, arguments.size(), [&](unsigned thread) {
    const auto [begin, end] = share_of(arguments.size(), thread, workers);
    leaves mine;
    for (std::size_t i = begin; i < end; ++i) mine = mine + leaf(arguments[i], i, n.iterations);
    found[thread] = mine;
  });
  leaves total;
  for (const leaves& each : found) total = total + each;
  return judged(std::move(run), n, total);
}

timed run_control(unsigned workers, unsigned n) {
  std::vector<unsigned> subtrees;
  const cutoff_size split{.n = n, .cutoff = n > 8 ? n - 8 : 1, .iterations = 0};
  collect_leaves(split, n, subtrees);
  std::vector<nodes> found(workers);
  timed run = on_static_threads(workers, nodes_of(n), [&](unsigned thread) {
    const auto [begin, end] = share_of(subtrees.size(), thread, workers);
    nodes mine;
    for (std::size_t i = begin; i < end; ++i) {
      const nodes below = plain_call(subtrees[i]);
      mine = {mine.value + below.value, mine.count + below.count};
    }
    found[thread] = mine;
  });
  nodes total{.value = 0, .count = subtrees.size() - 1};  // what is above the subtrees
  for (const nodes& each : found) total = {total.value + each.value, total.count + each.count};
  return judged(std::move(run), n, total);
}

timed run_plain_call(unsigned n) {
  const stopwatch watch;
  const nodes found = plain_call(n);
  return judged(watch.stop(nodes_of(n)), n, found);
}

}  // namespace bench::fib
