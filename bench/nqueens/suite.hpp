#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite nqueens_suite();

}  // namespace bench
