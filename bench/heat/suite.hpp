#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite heat_suite();

}  // namespace bench
