// What a fiber can say and ask of itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace ramie {

/// Lets other fibers run; returns when this one's turn comes again, perhaps on another worker, or at once if there is
/// nothing else. Only from a fiber: throws misuse elsewhere. About 10 ns.
void yield();

namespace this_fiber {

/// Unique within the runtime, never 0. Throws misuse on a thread that is no fiber.
[[nodiscard]] std::uint64_t id();
/// The name it was spawned with, or "". Throws misuse on a thread that is no fiber.
[[nodiscard]] std::string_view name();
/// The index of the worker that it runs on at this moment.
[[nodiscard]] unsigned worker_index();

}  // namespace this_fiber
}  // namespace ramie
