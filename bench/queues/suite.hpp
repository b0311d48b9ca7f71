#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite queues_suite();

}  // namespace bench
