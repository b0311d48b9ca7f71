// std::invoke without <functional>, which in libstdc++ 12 brings hash tables, vectors and the searching algorithms:
// 19,000 lines more in every program.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

namespace ramie::detail {

/// std::invoke(function, arguments...).
template <class Function, class... Arguments>
[[gnu::always_inline]] constexpr decltype(auto) call_with(Function&& function, Arguments&&... arguments) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<Function>>) {
    return std::apply(function, std::forward_as_tuple(std::forward<Arguments>(arguments)...));
  } else {
    return std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  }
}

}  // namespace ramie::detail
