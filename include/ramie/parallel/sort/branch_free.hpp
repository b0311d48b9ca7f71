// Choices that are computed. The outcome of a comparison of random elements cannot be predicted: a branch on it costs
// twenty cycles every other time, and gcc 12 makes one of nearly every conditional expression in a loop.
#pragma once

#include <ramie/base/lifetime.hpp>

#include <cstdint>

namespace ramie::detail::sorting {

/// `yes` as 1 or 0, of which the compiler knows nothing more.
[[gnu::always_inline]] inline std::uintptr_t without_branch(bool yes) {
  std::uintptr_t number = yes ? 1 : 0;
  asm("" : "+r"(number));
  return number;
}

/// `one` if `first` is 1, `other` if it is 0.
template <class T>
[[gnu::always_inline]] inline const T& choose(std::uintptr_t first, const T& one, const T& other) {
  const auto a = reinterpret_cast<std::uintptr_t>(address_of(one));
  const auto b = reinterpret_cast<std::uintptr_t>(address_of(other));
  return *reinterpret_cast<const T*>(b ^ ((a ^ b) & (0 - first)));
}

}  // namespace ramie::detail::sorting
