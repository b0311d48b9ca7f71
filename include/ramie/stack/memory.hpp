// One stack as the context switch sees it: two addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramie::stack {

/// A stack that grows down from `top`. Between bottom and top every byte may be used; below bottom lies the guard.
/// top is 64-byte aligned and up to 960 bytes below the end of its page (see stagger()).
struct memory {
  std::byte* bottom = nullptr;
  std::byte* top = nullptr;

  /// Bytes that the fiber may use.
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(top - bottom); }
  friend bool operator==(const memory&, const memory&) = default;
};

/// Bytes by which the top of slot `index` is lowered: 0, 64, ... 960.
///
/// Slots lie a power of two apart, so without this the hottest line of every blocked fiber would fall into the same
/// set of an L1 cache (64 sets of 64 bytes: the set is the offset within the page). All within the top page, so that
/// a blocked fiber costs one page. Sixteen neighbours take each of the 16 places once; the higher bits of the index are
/// mixed (as in MurmurHash3), so that no stride, whether 8, a power of two or odd, piles up.
[[nodiscard]] constexpr std::size_t stagger(std::uint32_t index) noexcept {
  std::uint32_t mixed = (index >> 4U) * 0x85EBCA6BU;
  mixed = (mixed ^ mixed >> 15U) * 0xC2B2AE35U;
  return ((index ^ mixed >> 28U) & 15U) * 64U;
}

/// The kernel's page. 4096 on every x86-64.
inline constexpr std::size_t page_size = 4096;

}  // namespace ramie::stack
