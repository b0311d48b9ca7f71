#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite switch_suite();

}  // namespace bench
