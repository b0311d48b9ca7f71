// From an address to the stack it lies in, also inside a signal handler.
//
// A process-wide table of the address ranges ("segments") that arenas have reserved. Registration is rare (a segment
// holds hundreds to hundreds of thousands of stacks) and takes a mutex; look-up takes no lock and never waits, for it
// runs in the SIGSEGV handler, perhaps on a thread that was interrupted in the middle of a registration.
// The table itself is segment_table.hpp.
#pragma once

#include <ramie/stack/memory.hpp>
#include <ramie/stack/segment_table.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie::stack {

/// Where an address lies.
struct found {
  memory stack;           ///< the stack of the slot
  std::size_t size = 0;   ///< the slot's address space, its guard included
  bool in_guard = false;  ///< below stack.bottom
};

/// Looks for the slot that contains `address`; false if it lies in no arena. Says nothing of whether the slot is in
/// use. Any thread, async-signal-safe, blocks nothing. Cost: a few loads for each registered segment.
[[nodiscard]] bool find(const void* address, found& out) noexcept;

namespace detail {

/// The addresses of slot `local` (counted from the segment's begin).
[[nodiscard]] memory slot_memory(const segment_range& segment, std::size_t local) noexcept;

/// Entries in the table. With segments of up to 64 GiB the address space ends first; an arena whose segment does not
/// fit works all the same, its overflows are only not explained.
inline constexpr std::size_t registry_capacity = 4096;

/// Returns the entry's number, or registry_capacity if the table is full. Any thread; takes a mutex.
[[nodiscard]] std::size_t register_segment(const segment_range& segment) noexcept;
void unregister_segment(std::size_t entry) noexcept;

}  // namespace detail
}  // namespace ramie::stack
