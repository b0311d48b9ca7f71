#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite scaling_suite();

}  // namespace bench
