#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite mergesort_suite();

}  // namespace bench
