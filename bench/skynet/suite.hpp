#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite skynet_suite();

}  // namespace bench
