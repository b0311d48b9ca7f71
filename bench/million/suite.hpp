#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite million_suite();

}  // namespace bench
