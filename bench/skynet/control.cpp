#include <utility>
#include <vector>

#include "kernel/static_threads.hpp"
#include "skynet/contenders.hpp"

namespace bench::skynet {

timed run_control(unsigned workers, std::uint64_t leaves) {
  constexpr std::size_t subtrees = children * children;
  const std::uint64_t each = leaves / subtrees;
  std::vector<result> found(workers);
  timed run = on_static_threads(workers, leaves, [&](unsigned thread) {
    const auto [begin, end] = share_of(subtrees, thread, workers);
    result mine;
    for (std::size_t i = begin; i < end; ++i) mine += plain_call(i * each, each);
    found[thread] = mine;
  });
  result total;
  for (const result& one : found) total += one;
  return judged(std::move(run), leaves, total);
}

timed run_plain_call(std::uint64_t leaves) {
  const stopwatch watch;
  const result found = plain_call(0, leaves);
  return judged(watch.stop(leaves), leaves, found);
}

}  // namespace bench::skynet
