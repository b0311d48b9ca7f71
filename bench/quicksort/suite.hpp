#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite quicksort_suite();

}  // namespace bench
