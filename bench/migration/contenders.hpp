#pragma once

#include <ramie/scheduler/options.hpp>

#include "migration/problem.hpp"

namespace bench::migration {

[[nodiscard]] outcome run_ramie(const ramie::options& o, const size& n);
/// Plain threads: the first writes all sets of a wave, then each visits its share of them.
[[nodiscard]] outcome run_control(unsigned workers, const size& n);

}  // namespace bench::migration
