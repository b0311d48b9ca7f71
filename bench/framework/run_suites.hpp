// The work of `ramie bench` once its command line is understood.
#pragma once

#include <vector>

#include "framework/contender.hpp"
#include "framework/options.hpp"

namespace bench {

/// Measures the suites, prints, and writes the files that were asked for. The exit status: 0 if every row verified, 1
/// if not or if something could not be written, 128 + n if signal n ended it early. Throws usage_error before anything
/// is measured.
[[nodiscard]] int run_suites(const options& o, const std::vector<suite>& chosen);

}  // namespace bench
