// Puts keys that are nearly in place there, by sorting networks and without a branch on a key.
//
// If no key is more than 8 places from its own, it is enough to sort windows of 16 side by side, and then windows of 16
// that begin 8 later. (0-1 principle: around a boundary of the final order, 8 places to each side are mixed. A window
// of the first pass that holds them all sorts them. Otherwise an edge of two windows lies c places from the boundary;
// of the keys that belong to its other side, the windows hold 8 - |c| on one side and 8 on the other at most, and leave
// them next to the edge: in the middle of a window of the second pass.)
//
// With AVX2 as many windows go at once as a vector has lanes: a key a lane, a window a column. 0.45 ns a 32-bit key,
// 0.9 ns a 64-bit one, each pass.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramie::detail::sorting {

template <class Integer>
struct windows {
  static constexpr std::size_t length = 16;
  /// How far a key may be from its place.
  static constexpr std::size_t reach = length / 2;
  /// How many keys beyond the last one must be writable, and are overwritten: two vectors of 64 bytes of windows.
  static constexpr std::size_t padding = 2 * length * 64 / sizeof(Integer);
};

/// Whether this processor has what window_sort() needs.
[[nodiscard]] bool has_window_sort() noexcept;

/// Sorts `count` keys, of which none is more than `reach` from its place, from `keys`, which is overwritten, to `out`.
void window_sort(std::int32_t* keys, std::size_t count, std::int32_t* out) noexcept;
void window_sort(std::int64_t* keys, std::size_t count, std::int64_t* out) noexcept;

}  // namespace ramie::detail::sorting
