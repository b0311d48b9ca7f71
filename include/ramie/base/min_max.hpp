// std::min and std::max without <algorithm>, which in libstdc++ 12 is 11,000 lines more in every program.
#pragma once

namespace ramie::detail {

template <class T>
[[nodiscard]] constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}

template <class T>
[[nodiscard]] constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}

}  // namespace ramie::detail
