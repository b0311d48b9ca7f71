// Sizes with their unit in the type: `.stack_size = 64_KiB` cannot be taken for 64 bytes.
#pragma once

#include <compare>
#include <cstddef>

namespace ramie {

/// A number of bytes. Made by the literals below, or explicitly.
class bytes {
 public:
  constexpr bytes() = default;
  constexpr explicit bytes(std::size_t count) : m_count(count) {}
  [[nodiscard]] constexpr std::size_t count() const { return m_count; }
  friend constexpr auto operator<=>(bytes, bytes) = default;

 private:
  std::size_t m_count = 0;
};

inline namespace literals {
constexpr bytes operator""_B(unsigned long long n) { return bytes(static_cast<std::size_t>(n)); }
constexpr bytes operator""_KiB(unsigned long long n) { return bytes(static_cast<std::size_t>(n) << 10U); }
constexpr bytes operator""_MiB(unsigned long long n) { return bytes(static_cast<std::size_t>(n) << 20U); }
constexpr bytes operator""_GiB(unsigned long long n) { return bytes(static_cast<std::size_t>(n) << 30U); }
}  // namespace literals

}  // namespace ramie
