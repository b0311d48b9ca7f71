#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite simpson_suite();

}  // namespace bench
