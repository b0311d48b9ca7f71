#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "loops/contenders.hpp"

namespace bench::loops {

timed run_ramie(const ramie::options& o, const problem& p) {
  return measured(
      p, [&](const auto& work) { return in_runtime(o, work); },
      [&](std::span<item> output) {
        switch (p.algorithm) {
          case algorithm::parallel_for:
            ramie::parallel_for(std::size_t{0}, output.size(), [=](std::size_t i) { output[i] = written_at(i); });
            break;
          case algorithm::reduce: output[0] = ramie::reduce(p.input.begin(), p.input.end()); break;
          case algorithm::inclusive_scan: ramie::inclusive_scan(p.input.begin(), p.input.end(), output.begin()); break;
        }
      });
}

}  // namespace bench::loops
