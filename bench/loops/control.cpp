#include <numeric>

#include "library/run.hpp"
#include "loops/contenders.hpp"

namespace bench::loops {

namespace {

// A function of its own, as the pieces of the others are.
[[gnu::noinline]] void write_all(std::span<item> output) {
  for (std::size_t i = 0; i < output.size(); ++i) output[i] = written_at(i);
}

}  // namespace

timed run_plain_call(const problem& p) {
  return measured(
      p,
      // On the ground of the others: a processor that comes from idling is slower than one that does not.
      [](const auto& work) { return in_runtime({.workers = 1}, work); },
      [&](std::span<item> output) {
        switch (p.algorithm) {
          case algorithm::parallel_for: write_all(output); break;
          case algorithm::reduce: output[0] = std::accumulate(p.input.begin(), p.input.end(), item{0}); break;
          case algorithm::inclusive_scan: std::partial_sum(p.input.begin(), p.input.end(), output.begin()); break;
        }
      });
}

}  // namespace bench::loops
