#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite loops_suite();

}  // namespace bench
