#include <ramie/ramie.hpp>

#include "fib/contenders.hpp"
#include "library/run.hpp"

namespace bench::fib {
namespace {

leaves with_cutoff(const cutoff_size& size, unsigned n, std::uint64_t first) {
  if (n <= size.cutoff) return leaf(n, first, size.iterations);
  leaves left;
  leaves right;
  ramie::counter running;
  ramie::spawn_with_counter(running, [&size, &left, n, first] { left = with_cutoff(size, n - 1, first); });
  ramie::spawn_with_counter(running, [&size, &right, n, first] {
    right = with_cutoff(size, n - 2, first + leaves_below(n - 1, size.cutoff));
  });
  ramie::wait_for_counter(running);
  return left + right;
}

nodes forked(unsigned n) {
  if (n < 2) return end_of_recursion(n);
  const auto [left, right] = ramie::fork_join([n] { return forked(n - 1); }, [n] { return forked(n - 2); });
  return joined(left, right);
}

nodes spawned(unsigned n) {
  if (n < 2) return end_of_recursion(n);
  auto left = ramie::spawn([n] { return spawned(n - 1); });
  const nodes right = spawned(n - 2);
  return joined(left.join(), right);
}

timed run_without_cutoff(const ramie::options& o, unsigned n, nodes (*fib)(unsigned)) {
  nodes found;
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    found = fib(n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace

timed run_ramie(const ramie::options& o, const cutoff_size& n) {
  leaves found;
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    found = with_cutoff(n, n.n, 0);
    return watch.stop(leaves_below(n.n, n.cutoff));
  });
  return judged(std::move(run), n, found);
}

timed run_ramie(const ramie::options& o, unsigned n) { return run_without_cutoff(o, n, &forked); }
timed run_ramie_spawn(const ramie::options& o, unsigned n) { return run_without_cutoff(o, n, &spawned); }

}  // namespace bench::fib
