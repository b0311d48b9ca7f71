#include <ramie/ramie.hpp>

#include <array>

#include "library/run.hpp"
#include "skynet/contenders.hpp"

namespace bench::skynet {
namespace {

result forked(std::uint64_t first, std::uint64_t leaves);

// `count` siblings, whose leaves begin at `first`, with `each` leaves below every one of them.
result siblings(std::uint64_t first, std::uint64_t each, unsigned count) {
  if (count == 1) return forked(first, each);
  auto [one, others] =
      ramie::fork_join([=] { return forked(first, each); }, [=] { return siblings(first + each, each, count - 1); });
  return one += others;
}

result forked(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return leaf(first);
  return siblings(first, leaves / children, children);
}

result spawned(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return leaf(first);
  const std::uint64_t each = leaves / children;
  std::array<result, children> below;
  ramie::counter running;
  for (unsigned i = 0; i < children; ++i) {
    ramie::spawn_with_counter(running, [=, &mine = below[i]] { mine = spawned(first + i * each, each); });
  }
  ramie::wait_for_counter(running);
  result total;
  for (const result& one : below) total += one;
  return total;
}

timed run_tree(const ramie::options& o, std::uint64_t leaves, result (*tree)(std::uint64_t, std::uint64_t)) {
  result found;
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    found = tree(0, leaves);
    return watch.stop(leaves);
  });
  return judged(std::move(run), leaves, found);
}

}  // namespace

timed run_ramie(const ramie::options& o, std::uint64_t leaves) { return run_tree(o, leaves, &forked); }
timed run_ramie_spawn(const ramie::options& o, std::uint64_t leaves) { return run_tree(o, leaves, &spawned); }

}  // namespace bench::skynet
