// The table of suites. A new suite gets a folder, and a line in suites.cpp.
#pragma once

#include <vector>

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] std::vector<suite> all_suites();

}  // namespace bench
