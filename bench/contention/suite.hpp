#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite contention_suite();

}  // namespace bench
