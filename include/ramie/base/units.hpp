// Sizes with their unit in the type: `.stack_size = 64_KiB` cannot be taken for 64 bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <limits>

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

namespace detail {
// The largest number of bytes where there are no so many.
constexpr bytes shifted(unsigned long long n, unsigned by) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  return bytes(n > most >> by ? most : static_cast<std::size_t>(n) << by);
}
}  // namespace detail

inline namespace literals {
constexpr bytes operator""_B(unsigned long long n) { return detail::shifted(n, 0); }
constexpr bytes operator""_KiB(unsigned long long n) { return detail::shifted(n, 10); }
constexpr bytes operator""_MiB(unsigned long long n) { return detail::shifted(n, 20); }
constexpr bytes operator""_GiB(unsigned long long n) { return detail::shifted(n, 30); }
}  // namespace literals

}  // namespace ramie
