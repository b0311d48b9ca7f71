// A kernel thread while it holds workers.
#pragma once

#include <ramie/context/execution.hpp>
#include <ramie/context/thread_slot.hpp>

#include "scheduler/waiting_threads.hpp"

namespace ramie {
class fiber;
}

namespace ramie::detail {

class whole_worker;

/// One worker after another. It lies on the thread's stack, and stays when a worker leaves (hand_over.hpp).
struct carrier {
  carrier() : exceptions(&context::exception_state::of_this_thread()) {}

  waiting_threads<whole_worker>::place place;  // where it waits
  context::execution loop;                     // the thread's own stack
  context::exception_state* const exceptions;  // the thread's
  fiber* without_worker = nullptr;             // the fiber here that has given its worker away
  unsigned last_index = 0;                     // of that worker

  /// The calling thread's; null where it holds no workers.
  [[nodiscard]] static carrier* of_this_thread() { return static_cast<carrier*>(context::carrier_slot()); }
};

/// On the loop of a thread that its worker has left: the fiber that ran without one has switched there. [H5]
void publish_returned(carrier& by) noexcept;

}  // namespace ramie::detail
