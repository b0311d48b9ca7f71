#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite fib_suite();

}  // namespace bench
