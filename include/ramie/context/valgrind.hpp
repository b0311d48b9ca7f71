// Valgrind must know where stacks are, or it takes a switch for a giant allocation on one stack.
#pragma once

namespace ramie::context {

/// Tells Valgrind of a stack [bottom, top) and returns the number under which it knows it; a few instructions, and
/// nothing happens, in a process that Valgrind does not run. Any thread.
[[nodiscard]] unsigned register_with_valgrind(void* bottom, void* top) noexcept;
void unregister_with_valgrind(unsigned number) noexcept;

}  // namespace ramie::context
