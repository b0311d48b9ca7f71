#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite sort_suite();

}  // namespace bench
