#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite imbalanced_suite();

}  // namespace bench
