// A fiber that blocks its kernel thread gives its worker to another thread, and comes back without one.
//
//     {
//       const detail::without_worker blocking;
//       ::read(file, buffer, size);      // the fiber's own thread sleeps; its worker runs other fibers elsewhere
//     }                                  // the fiber goes on on whatever worker takes it
//
// The kernel thread keeps its carrier: the stack of its loop, and the exceptions in flight. Queues, forks, timers and
// counts go along with the worker. The steps:
//
//   H1 forks of the fiber become tasks    H2 the thread lets go of the worker    H3 another thread takes it, and goes
//   into its run loop    H4 the fiber, at its end of blocking, switches to the loop of its thread    H5 that publishes
//   the fiber through the runtime's injector, as any thread without a worker    H6 the thread leaves its run loop and
//   waits for another worker (carriers.hpp)
//
// From H2 to H5 the fiber runs where no worker is. this_fiber still answers, worker_index() with the last one. It wakes
// and waits as a thread that runs no fiber does; what it spawns is its own runtime's.
//
// Threads that have no worker any more wait for the next one until the run is over; a fiber that finds none of them
// starts one. So there are as many as fibers have ever blocked at once.
#pragma once

#include <ramie/context/execution.hpp>
#include <ramie/context/thread_slot.hpp>
#include <ramie/scheduler/carriers.hpp>

namespace ramie {

class fiber;
class runtime;

namespace detail {

class whole_worker;

/// A kernel thread while it holds workers, one after another.
struct carrier {
  carrier() : exceptions(&context::exception_state::of_this_thread()) {}

  carriers<whole_worker>::place place;         // where it waits
  context::execution loop;                     // the thread's own stack
  context::exception_state* const exceptions;  // the thread's
  fiber* without_worker = nullptr;             // what runs here since it has given its worker away
  unsigned last_index = 0;                     // of that worker

  /// The calling thread's; null where it holds no workers.
  [[nodiscard]] static carrier* of_this_thread() { return static_cast<carrier*>(context::carrier_slot()); }
};

/// On the loop of a thread that its worker has left: the fiber that ran without one has switched there. [H5]
void publish_returned(carrier& by) noexcept;

/// The fiber that runs on the calling thread, with a worker or without; null on other threads.
[[nodiscard]] fiber* running_fiber();

/// Whether the caller belongs to that runtime: its fiber, with a worker or without, or its worker between fibers.
[[nodiscard]] bool is_within(const runtime& home);

/// The worker of the calling fiber runs others elsewhere while this lives. Where that cannot be (on a thread that runs
/// no fiber, between fibers, while the worker waits between fibers below this one on its thread's stack, on an
/// execution backend, within another without_worker, or where no thread can be had), the caller keeps what it has. Must
/// be destroyed by the fiber that made it. Costs a wake-up of a thread, 5 to 30 µs, or its start.
class without_worker {
 public:
  without_worker();
  ~without_worker();
  without_worker(const without_worker&) = delete;
  without_worker& operator=(const without_worker&) = delete;

  /// Whether it was given away.
  [[nodiscard]] bool is_given_away() const { return m_given_away; }

 private:
  bool m_given_away;
};

}  // namespace detail
}  // namespace ramie
