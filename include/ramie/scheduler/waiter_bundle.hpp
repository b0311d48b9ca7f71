// Up to 64 who wait for the same thing, as they are handed to the wake path: see queue/injector.hpp.
#pragma once

#include <ramie/queue/injector.hpp>
#include <ramie/scheduler/work_item.hpp>

namespace ramie {

using waiter_bundle = queue::bundle<work_item>;
inline constexpr std::size_t waiter_bundle_capacity = queue::bundle_capacity;

}  // namespace ramie
