// Address space for many stacks, and what has been touched of it.
#pragma once

#include <ramie/stack/memory.hpp>

#include <cstddef>

namespace ramie::stack::detail {

/// 2 MiB, what one page-table page covers: a segment that starts there shares none with its neighbours.
inline constexpr std::size_t table_span = std::size_t{2} << 20U;

/// Reserves `size` bytes at a multiple of `alignment`, lazily committed, without huge pages, named "ramie stacks" in
/// /proc/self/maps where the kernel keeps names. nullptr and errno if that is refused.
[[nodiscard]] std::byte* reserve(std::size_t size, std::size_t alignment) noexcept;

/// Gives all of a reservation back.
bool unreserve(std::byte* begin, std::size_t size) noexcept;

/// Bytes from the top of the stack to the lowest page that is in memory; 0 if none is.
[[nodiscard]] std::size_t touched(const memory& stack) noexcept;

/// Under AddressSanitizer: frames that were left without returning are poisoned still, and the stack's next owner
/// would be blamed for them. Nothing otherwise.
void forget_frames(const memory& stack) noexcept;

}  // namespace ramie::stack::detail
