// Everything that moves with a fiber: registers, floating-point control, exceptions in flight, the tools' state.
#pragma once

#include <ramie/context/exception_state.hpp>
#include <ramie/context/floating_point.hpp>
#include <ramie/context/machine_context.hpp>
#include <ramie/context/sanitizer.hpp>
#include <ramie/context/switch_to.hpp>

namespace ramie::context {

/// A flow of control that can be left and continued: a fiber, or a kernel thread while it runs fibers.
struct execution {
  machine_context machine;
  floating_point_control floating_point;
  exception_state exceptions;
  [[no_unique_address]] tool_state tools;

  /// A word for an execution backend, which switches by other means (scheduler/execution_backend.hpp). It lies in
  /// `machine`, which only switch_execution() needs, so that an execution is no larger for it.
  [[nodiscard]] void* backend_slot() const { return machine.instruction; }
  void set_backend_slot(void* value) { machine.instruction = value; }
};

/// Whether an execution that is left will be continued.
enum class leaving : bool { for_now, for_good };

/// Leaves `from` for `to`, both of this kernel thread; `of_thread` is this thread's exception state. Returns the
/// message of the switch that comes back, perhaps on another kernel thread.
template <leaving How = leaving::for_now>
[[gnu::always_inline]] inline void* switch_execution(exception_state& of_thread, execution& from, execution& to,
                                                     void* message) {
  from.floating_point.save();
  to.floating_point.load_if_different(from.floating_point);
  exchange_exception_state(of_thread, from.exceptions, to.exceptions);
  from.tools.leave(to.tools, How == leaving::for_good);
  message = switch_to(from.machine, to.machine, message);
  from.tools.arrive();
  return message;
}

}  // namespace ramie::context
