// The seam for running fibers on something else than pooled stacks: user-scheduled kernel threads, one running at a
// time for each worker, so that tools which know only threads can look at a program.
//
// A backend's fiber is a kernel thread, and a switch is a hand-off: the thread that leaves wakes the thread that goes
// on, and sleeps. The life of such a fiber:
//
//   create()      on the thread that is about to switch to it. The backend makes a thread, or takes one that is free
//   switch_to()   on every thread that leaves for another one and will be continued. It finds both by the words of
//                 their executions, backend_slot(), which are the backend's: no map, no lock
//   entry()       on the fiber's thread, when it has been switched to for the first time. Runs the fiber and returns
//                 where to go on: by then the fiber is over, and nobody but the backend knows it any more
//   afterwards    the backend takes the fiber back, hands over to where to go on, and ends the thread, or keeps it for
//                 another fiber; in this order, so that a run which is over has no fiber left
//
// A fiber stays on its thread. So the state of the thread (exceptions in flight, floating-point control, thread_local
// variables) is right without being exchanged. The rest is done in entry() and around switch_to(), and is no backend's
// business: a thread has its worker in the thread slot while it carries one, and null else; a fiber begins with the
// floating-point control of the runtime's maker, and the signal mask of the thread that began the run; while it runs
// its thread has an alternate signal stack, and exit() is noticed there. (The carrier slot stays null on a backend's
// threads: attach() was called on the thread that holds the worker. And a fiber does not give its worker away: see
// hand_over.hpp.)
#pragma once

#include <ramie/context/execution.hpp>
#include <ramie/stack/config.hpp>

#include <cstdint>

namespace ramie {

class fiber;
class runtime;
class task;

/// With options.backend null, fibers run on stacks of the arena and the switch is inlined; the choice costs one test.
/// One backend serves all workers of a runtime at once, and may serve several runtimes.
class execution_backend {
 public:
  virtual ~execution_backend() = default;

  /// The end of a fiber: the execution to continue, and the message for it.
  struct departure {
    context::execution& to;
    void* message;
  };

  struct beginning {
    /// To be called once, on the fiber's thread, with the message of the first switch to the fiber. A thread that keeps
    /// an alternate signal stack (stack/alternate_stack.hpp) saves each fiber the 5 us for one.
    departure (*entry)(fiber& self, void* message);
    /// The task that the fiber runs, and the only one; its name is known. (All calls run in the name of one task.)
    const task& first;
    /// The size that the task asks for, its guard included, and the guard. Under an arena's guard (stack/arena.hpp),
    /// with the fiber at the top of the stack (fiber::at_top_of), an overflow is reported by the task's name.
    stack::config stack;
    /// For the fiber's constructor.
    runtime& home;
    std::uint8_t stack_class;
  };

  /// The calling thread is about to hold workers, and `loop` is what it continues between fibers. The backend sets the
  /// loop's slot. detach() comes from the same thread, when it holds no worker any more.
  virtual void attach(context::execution& loop) noexcept = 0;
  virtual void detach(context::execution& loop) noexcept = 0;

  /// A fiber that has its slot set and begins when it is first switched to, which is next. Called by the thread that
  /// carries the worker. Throws spawn_error; the task is then refused.
  virtual fiber& create(const beginning& how) = 0;

  /// Continues `to` and stops `from`, which is the calling thread's; returns, when a switch or a departure goes back to
  /// `from`, its message. Everything that the calling thread has written must be seen by the thread that goes on.
  virtual void* switch_to(context::execution& from, context::execution& to, void* message) = 0;
};

}  // namespace ramie
