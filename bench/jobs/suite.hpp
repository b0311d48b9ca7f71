#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite jobs_suite();

}  // namespace bench
