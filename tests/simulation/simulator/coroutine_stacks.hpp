// Stacks for simulated threads, kept from run to run.
#pragma once

#include <cstddef>

namespace ramie::sim::coroutine_stacks {

/// Of each, without the guard page below.
inline constexpr std::size_t size = std::size_t{512} << 10U;

[[nodiscard]] std::byte* take();
void give_back(std::byte* stack);

}  // namespace ramie::sim::coroutine_stacks
