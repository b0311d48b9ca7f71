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
//   H1  the fiber's forks become tasks
//   H2  the thread lets go of the worker
//   H3  another thread takes the worker, and goes into its run loop
//   H4  the fiber, at the end of its blocking, switches to the loop of its thread
//   H5  the loop publishes the fiber through the runtime's injector, as any thread without a worker does
//   H6  the thread leaves its run loop, and waits for another worker (src/scheduler/waiting_threads.hpp)
//
// From H2 to H5 the fiber runs where no worker is. this_fiber still answers, worker_index() with the last one. It wakes
// and waits as a thread that runs no fiber does; its spawns go to its own runtime.
//
// Threads that have no worker any more wait for the next one until the run is over; a fiber that finds none of them
// starts one. So there are as many as fibers have ever blocked at once.
#pragma once

namespace ramie {

class fiber;
class runtime;

namespace detail {

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
