#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite migration_suite();

}  // namespace bench
