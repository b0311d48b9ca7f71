#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite ablation_suite();

}  // namespace bench
