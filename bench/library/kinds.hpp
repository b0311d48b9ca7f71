// The kinds of queue that a suite compares.
#pragma once

#include <ramie/queue/kind.hpp>

#include <vector>

#include "framework/options.hpp"

namespace bench {

/// The kind of --queue (throws std::invalid_argument if there is none of that name), alone if the user named it;
/// otherwise followed by all others that the library makes. First is the one that "vs ramie" compares with.
[[nodiscard]] std::vector<ramie::queue::kind> kinds_to_compare(const options& o);

}  // namespace bench
