#include <tbb/task_group.h>

#include <array>

#include "kernel/tbb_arena.hpp"
#include "skynet/contenders.hpp"

namespace bench::skynet {
namespace {

result tree(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return leaf(first);
  const std::uint64_t each = leaves / children;
  std::array<result, children> below;
  tbb::task_group group;
  for (unsigned i = 1; i < children; ++i) {
    group.run([=, &mine = below[i]] { mine = tree(first + i * each, each); });
  }
  below[0] = tree(first, each);
  group.wait();
  result total;
  for (const result& one : below) total += one;
  return total;
}

}  // namespace

timed run_tbb(unsigned workers, std::uint64_t leaves) {
  result found;
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    found = tree(0, leaves);
    return watch.stop(leaves);
  });
  return judged(std::move(run), leaves, found);
}

}  // namespace bench::skynet
