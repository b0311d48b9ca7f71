// Not for users.
//
// How fibers and threads wait in an object that keeps them in a wait_list. The object has
//
//     bool enqueue(Node&)      with its own lock: true, the node is in its list; false, there was something for the
//     node
//                              at once (claim_at_once()), or its wait is over
//     void withdraw(Node&)     takes the node back, if it is still in the list
//
// and wakes the waiters that have got what they came for. `woken` means that: a waiter that has timed out or was
// cancelled has got nothing.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/sync/wait_list.hpp>

namespace ramie::detail {

/// On a thread that runs no fiber: fibers of the process's runtime, which runs from now on, may be those that end the
/// wait. Throws misuse in a child made by fork(), which has none.
void before_wait(const char* call);

/// With a record: off fibers, or with limits, or where the waiter may be cancelled. `call` is the user's, for misuse.
[[nodiscard]] wake_reason wait_with_record(wait_node<>& mine, const char* call, function_ref<void()> enqueue,
                                           function_ref<void()> withdraw, const wait_limits& limits);
[[gnu::cold]] void wait_off_fast_path(wait_node<>& mine, const char* call, function_ref<void()> enqueue,
                                      function_ref<void()> withdraw);

/// Waits until the object has given `mine` what it waits for. Blocks the calling fiber, not its worker; on a thread
/// that runs no fiber, the thread. Two switches. Throws cancelled where the scope around the caller ends the wait.
template <class Object, class Node>
[[gnu::always_inline]] inline void wait_in(Object& object, Node& mine, const char* call) {
  worker* const here = worker::current();
  if (here == nullptr || here->current_fiber() == nullptr || here->current_fiber()->around != nullptr) [[unlikely]] {
    return wait_off_fast_path(
        mine, call, [&] { static_cast<void>(object.enqueue(mine)); }, [&] { object.withdraw(mine); });
  }
  struct both {
    Object& object;
    Node& mine;
  } of{object, mine};
  here->suspend(
      [](worker& on, fiber& left, void* argument) {
        const both waits = *static_cast<both*>(argument);
        waits.mine.set_waiter(left);
        if (!waits.object.enqueue(waits.mine)) on.push_ready(left);
      },
      &of);
}

/// The same, or until one of the limits; not `woken`: then the object has given nothing, and touches nothing of the
/// caller's any more.
template <class Object, class Node>
[[nodiscard]] wake_reason wait_in(Object& object, Node& mine, const char* call, const wait_limits& limits) {
  return wait_with_record(
      mine, call, [&] { static_cast<void>(object.enqueue(mine)); }, [&] { object.withdraw(mine); }, limits);
}

}  // namespace ramie::detail
