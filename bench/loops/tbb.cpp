#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <functional>
#include <numeric>

#include "kernel/tbb_arena.hpp"
#include "loops/contenders.hpp"

namespace bench::loops {

timed run_tbb(unsigned workers, const problem& p) {
  using range = tbb::blocked_range<std::size_t>;
  return measured(
      p, [&](const auto& work) { return in_tbb(workers, work); },
      [&](std::span<item> output) {
        const range all(0, p.input.size());
        const item* const input = p.input.data();
        switch (p.algorithm) {
          case algorithm::parallel_for:
            tbb::parallel_for(all, [=](const range& part) {
              for (std::size_t i = part.begin(); i != part.end(); ++i) output[i] = written_at(i);
            });
            break;
          case algorithm::reduce:
            output[0] = tbb::parallel_reduce(
                all, item{0},
                [=](const range& part, item sum) {
                  return std::accumulate(input + part.begin(), input + part.end(), sum);
                },
                std::plus<>());
            break;
          case algorithm::inclusive_scan:
            tbb::parallel_scan(
                all, item{0},
                [=](const range& part, item sum, bool is_final) {
                  for (std::size_t i = part.begin(); i != part.end(); ++i) {
                    sum += input[i];
                    if (is_final) output[i] = sum;
                  }
                  return sum;
                },
                std::plus<>());
            break;
        }
      });
}

}  // namespace bench::loops
