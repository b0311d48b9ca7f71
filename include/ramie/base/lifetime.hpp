// Where an object is, how it begins and how it ends: what is used here of <memory>, which in libstdc++ 12 is 7,000
// lines more in every program.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

namespace ramie::detail {

/// std::addressof(object).
template <class T>
[[nodiscard, gnu::always_inline]] constexpr T* address_of(T& object) noexcept {
  return __builtin_addressof(object);
}
template <class T>
const T* address_of(const T&&) = delete;

/// std::construct_at(place, arguments...), but not in constant expressions.
template <class T, class... Arguments>
[[gnu::always_inline]] inline T* begin_at(T* place, Arguments&&... arguments) noexcept(
    std::is_nothrow_constructible_v<T, Arguments...>) {
  return ::new (static_cast<void*>(place)) T(std::forward<Arguments>(arguments)...);
}

/// std::destroy_at(place), but of no array.
template <class T>
[[gnu::always_inline]] constexpr void end_at(T* place) noexcept {
  place->~T();
}

}  // namespace ramie::detail
