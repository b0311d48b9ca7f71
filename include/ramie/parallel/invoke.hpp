// Functions called perhaps at the same time, for their effects and not for their results.
#pragma once

#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/fork_join.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>

#include <type_traits>
#include <utility>

namespace ramie {

/// As fork_join of them, but as an algorithm whose elements are functions: after a request to stop, or when one has
/// thrown, no other one is called. Throws a function's exception (of several, the first in the order of the arguments);
/// `stopped`; misuse as fork_join. At least one function; their results are dropped.
template <class... Functions>
  requires(sizeof...(Functions) > 0)
void invoke(const parallel_policy& policy, Functions&&... functions) {
  static_assert((std::is_invocable_v<Functions> && ...),
                "ramie::invoke takes functions that can be called without arguments; capture them in lambdas");
  detail::on_a_fiber(policy.on, [&] {
    detail::permit may(policy.stop);
    const auto piece = [&may]<class Function>(Function&& function) {
      return [&] {
        if (may.may_begin()) may.guard([&] { static_cast<void>(std::forward<Function>(function)()); });
      };
    };
    if constexpr (sizeof...(Functions) == 1) {
      (piece(std::forward<Functions>(functions))(), ...);
    } else {
      fork_join(piece(std::forward<Functions>(functions))...);
    }
    may.conclude();
  });
}

template <class First, class... Rest>
  requires(!std::is_same_v<std::remove_cvref_t<First>, parallel_policy>)
void invoke(First&& first, Rest&&... rest) {
  ramie::invoke(parallel_policy{}, std::forward<First>(first), std::forward<Rest>(rest)...);
}

}  // namespace ramie
