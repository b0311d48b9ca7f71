// What is done once, by whoever comes first.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/base/invoke.hpp>
#include <ramie/sync/once_core.hpp>

#include <utility>

namespace ramie {

class once_flag;

namespace detail {
void call_once_slowly(once_flag& flag, const function_ref<void()>& call);
}

/// std::once_flag between fibers and threads.
class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class Function, class... Arguments>
  friend void call_once(once_flag& flag, Function&& function, Arguments&&... arguments);
  friend void detail::call_once_slowly(once_flag& flag, const detail::function_ref<void()>& call);

  detail::once_core<> m_core;
};

/// Any fiber or thread. The first one calls function(arguments...); whoever comes meanwhile waits, blocking its fiber,
/// not its worker (on a thread that runs no fiber: the thread). What the function throws leaves the call, and the
/// waiter that has waited longest, or the next caller, calls its own. A load where it is done. A function that comes
/// back to the same flag waits for ever.
template <class Function, class... Arguments>
void call_once(once_flag& flag, Function&& function, Arguments&&... arguments) {
  if (flag.m_core.is_done()) [[likely]]
    return;
  const auto call = [&] {
    static_cast<void>(detail::call_with(std::forward<Function>(function), std::forward<Arguments>(arguments)...));
  };
  detail::call_once_slowly(flag, call);
}

}  // namespace ramie
