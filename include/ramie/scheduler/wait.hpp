// Not for users.
//
// How fibers, threads, and workers between fibers wait. Everything that blocks does so here.
//
// An object that can be waited for has two functions:
//
//     bool set_waiter(work_item&)   keeps the waiter, which has left its stack. False: there is nothing to wait for any
//                                   more, and the object will not wake it
//     bool is_done() const          there is nothing to wait for any more
//
// and calls wake(waiter), once. A wait that may end for other reasons too brings a record, and arms of it instead of
// the waiter: see wait_record.hpp.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/scheduler/wait_record.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie::detail {

/// On a thread that runs no fiber, or a worker between fibers: blocks the thread, or runs other work.
void wait_off_fiber(function_ref<bool(work_item&)> set_waiter, function_ref<bool()> is_done);

/// Waits until the object is done; it lives until then. Any fiber or thread: `here` is worker::current(). No scope ends
/// this wait (surroundings.hpp); callers that may be cancelled look for a scope first, and wait with a record.
template <class Awaited>
[[gnu::always_inline]] inline void wait_for(worker* here, Awaited& awaited) {
  if (here == nullptr || here->current_fiber() == nullptr) [[unlikely]] {
    return wait_off_fiber([&awaited](work_item& waiter) { return awaited.set_waiter(waiter); },
                          [&awaited] { return awaited.is_done(); });
  }
  here->suspend(
      [](worker& on, fiber& left, void* of) {
        if (!static_cast<Awaited*>(of)->set_waiter(left)) on.push_ready(left);
      },
      &awaited);
}

/// The calling fiber, or thread.
[[nodiscard]] work_item& this_waiter();

/// Waits until one of the record's arms, or one of the limits, ends the wait, and returns which it was. The record is
/// one of this_waiter(), just made.
///
/// enqueue() puts the record's arms into their objects. False: there is nothing to wait for; then it has put none, and
/// the answer is `woken`. withdraw() takes the arms back, if the wait has ended for another reason; nobody touches them
/// afterwards. Neither may switch or throw. Both may be called a second time, where the scope is cancelled and the wait
/// is to be shielded (surroundings.hpp).
///
/// Any fiber or thread. Blocks. Throws std::bad_alloc if there is no room for the deadline, and has changed nothing;
/// cancelled where the scope around the caller ends the wait, after withdraw().
[[nodiscard]] wake_reason wait_until(wait_record<work_item>& mine, function_ref<bool()> enqueue,
                                     function_ref<void()> withdraw, const wait_limits& limits);

}  // namespace ramie::detail
