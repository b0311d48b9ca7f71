// The seam for running fibers on something else than pooled stacks: user-scheduled kernel threads, one running at a
// time for each worker, so that tools which know only threads can look at a program.
#pragma once

#include <ramie/context/machine_context.hpp>

namespace ramie {

class fiber;
class worker;

namespace context {
struct execution;
}

/// With options.backend null, fibers run on stacks of the arena and the switch is inlined; the choice costs one test.
class execution_backend {
 public:
  virtual ~execution_backend() = default;

  /// A fiber that begins in entry(message, argument == the fiber) when it is first switched to. Throws spawn_error.
  virtual fiber& create(context::entry_function entry) = 0;

  /// Continues `to` and stops `from`; returns, when somebody switches back to `from`, what that switch passed. The
  /// kernel thread that continues must carry the worker on: set_thread_slot(message).
  virtual void* switch_to(context::execution& from, context::execution& to, void* message) = 0;

  /// The fiber has been left for the last time.
  virtual void destroy(fiber& finished) noexcept = 0;
};

}  // namespace ramie
