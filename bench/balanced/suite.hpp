#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite balanced_suite();

}  // namespace bench
