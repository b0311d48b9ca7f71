// Stack overflow, explained instead of a bare "Segmentation fault".
#pragma once

#include <ramie/stack/memory.hpp>

#include <cstddef>

namespace ramie::stack {

/// Writes the name of the fiber on `stack`, e.g. `fiber 17 "parser"`, into text, without a terminating zero, and
/// returns how many bytes that took: at most size; 0 if nobody is known. Called in a signal handler: no locks, no
/// allocation.
using describe = std::size_t (*)(const memory& stack, char* text, std::size_t size) noexcept;

/// Any address on the stack of the fiber that the calling kernel thread runs; null: it runs none. Called as the above.
using running = const void* (*)() noexcept;

/// A process-wide handler of SIGSEGV and SIGBUS. A fault in the guard of a registered arena is written to standard
/// error with one write(2):
///
///     ramie: fiber 17 "parser" overflowed its stack of 256 KiB (fault at 0x7f...). Give it more with
///     spawn_options.stack_size or options.stack_size.
///
/// (on one line). A stack's guard is also hit by the fiber below that writes beyond its upper end, and by stray
/// pointers; they are told apart by which fiber runs. Then, as with every other fault, the handler that was there
/// before goes on: an earlier handler is called with the same arguments, on the same alternate stack; where there was
/// none the default action is restored, so that the process dies of the fault, with its core dump, where it happened.
///
/// The handler can only run where the faulting kernel thread has an alternate_stack. A handler that the program
/// installs later replaces this one; it may chain to it as this one does to its predecessor. Where the library that
/// ramie is linked into is unloaded by dlclose(3), the earlier handlers come back, unless others have been installed
/// since: those that chain must be gone before.
class overflow_report {
 public:
  /// Installs the handler at the first call in a process and does nothing later; returns false if the kernel refused.
  /// Any thread. Sanitizers' handlers are predecessors like any other.
  static bool install() noexcept;

  /// Sets the function that names the fibers; nullptr: none. Any thread. The runtime that sets it must clear it before
  /// it goes.
  static void set_describer(describe describer) noexcept;

  /// Sets the function that knows which fiber runs; nullptr: none, so that only the stack pointer tells. Any thread.
  static void set_running(running runner) noexcept;
};

}  // namespace ramie::stack
