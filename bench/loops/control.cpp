#include <numeric>

#include "loops/contenders.hpp"

namespace bench::loops {

timed run_plain_call(const problem& p) {
  return measured(
      p, [](const auto& work) { return work(); },
      [&](std::span<item> output) {
        switch (p.algorithm) {
          case algorithm::parallel_for:
            for (std::size_t i = 0; i < output.size(); ++i) output[i] = written_at(i);
            break;
          case algorithm::reduce: output[0] = std::accumulate(p.input.begin(), p.input.end(), item{0}); break;
          case algorithm::inclusive_scan: std::partial_sum(p.input.begin(), p.input.end(), output.begin()); break;
        }
      });
}

}  // namespace bench::loops
