#pragma once

#include "framework/contender.hpp"

namespace bench {

[[nodiscard]] suite bfs_suite();

}  // namespace bench
