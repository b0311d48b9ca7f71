// How elements may be handled, by the promises of their type.
#pragma once

#include <ramie/base/lifetime.hpp>

#include <type_traits>
#include <utility>

namespace ramie::detail::sorting {

/// Worth copying instead of branching: a copy is a few instructions, and two copies of one element do no harm.
template <class T>
inline constexpr bool is_cheap_to_copy =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_copy_assignable_v<T> &&
    std::is_trivially_move_constructible_v<T> && std::is_trivially_move_assignable_v<T> &&
    std::is_trivially_destructible_v<T> && sizeof(T) <= 4 * sizeof(void*);

/// Can be moved to other memory, and back, whatever happens in between.
template <class T>
inline constexpr bool is_relocatable = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>;

/// `to` is memory without an element; afterwards `from` is.
template <class From, class To>
[[gnu::always_inline]] inline void relocate(From from, To to) noexcept {
  begin_at(address_of(*to), std::move(*from));
  end_at(address_of(*from));
}

template <class From, class To>
void relocate_all(From first, From last, To to) noexcept {
  for (; first != last; ++first, ++to) relocate(first, to);
}

}  // namespace ramie::detail::sorting
