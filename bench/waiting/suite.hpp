#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite waiting_suite();

}  // namespace bench
