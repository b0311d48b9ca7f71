// The C++ runtime's idea of which exceptions are being handled, which belongs to the fiber, not to the thread.
//
// The Itanium C++ ABI (section 2.2.2) keeps, for each thread, a stack of caught exceptions and a count of uncaught
// ones. A fiber that switches inside a catch block leaves its own there; they must go with it, or another fiber's
// `throw;` rethrows them and its `catch` frees them.
#pragma once

#include <cxxabi.h>

namespace ramie::context {

/// The layout of __cxa_eh_globals, the same in libstdc++ and libc++abi. Both keep it unmoved for a thread's life.
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;

  [[nodiscard]] bool active() const { return caught != nullptr || uncaught != 0; }

  /// The calling kernel thread's. Never remember it across a switch: keep it with the thread's worker.
  static exception_state& of_this_thread() { return *reinterpret_cast<exception_state*>(abi::__cxa_get_globals()); }
};

/// Before a switch on one thread: its state goes to `leaving`, and the state that `arriving` kept takes its place. The
/// state of a running execution lives in the thread alone (its own copy is empty), so where neither is handling an
/// exception this is two tests.
[[gnu::always_inline]] inline void exchange_exception_state(exception_state& of_thread, exception_state& leaving,
                                                            exception_state& arriving) {
  if (of_thread.active() || arriving.active()) [[unlikely]] {
    leaving = of_thread;
    of_thread = arriving;
    arriving = {};
  }
}

}  // namespace ramie::context
