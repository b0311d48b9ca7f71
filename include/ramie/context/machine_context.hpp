// The state of a suspended execution: its place in the code, its stack and its frame.
//
// There are two switches, for two needs:
//
//   switch_to      inlined. Its clobber list names every register, so the compiler saves around it just those that are
//                  live; only the instruction, stack and frame pointers are kept in the context. About 1.4 ns one way.
//   swap_context   an ordinary function, with get_context and set_context: saves the registers that the System V ABI
//                  calls callee-saved. For code that the compiler does not see through, and under these names because
//                  the source of this runtime has them.
//
// Neither saves the signal mask (a system call) or caller-saved registers. Both leave with `jmp`, not `ret`: the two
// ends resume at different call sites, which the processor's return-stack predictor always gets wrong (about 6 ns).
#pragma once

#include <ramie/base/config.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie::context {

/// A suspended execution, as switch_to keeps it. The offsets are known to the assembly.
struct machine_context {
  void* instruction = nullptr;
  void* stack = nullptr;
  void* frame = nullptr;
};
static_assert(offsetof(machine_context, stack) == 8 && offsetof(machine_context, frame) == 16);

/// The first function of a fresh context. `message` is what the switch that started it passed; it must not return.
using entry_function = void (*)(void* message, void* argument);

extern "C" {
/// Where every fresh context begins: calls the entry function that make_context left on the stack. Its unwind
/// information says that nothing is above it, so debuggers, profilers and exceptions end here.
void ramie_context_entry();
}

/// Makes `fresh` begin in entry(message, argument) on the stack that ends at `top` (16-byte aligned) when it is first
/// switched to. Touches 16 bytes below `top`.
inline void make_context(machine_context& fresh, void* top, entry_function entry, void* argument) {
  void** const frame = static_cast<void**>(top) - 2;
  frame[0] = reinterpret_cast<void*>(entry);
  frame[1] = argument;
  fresh.instruction = reinterpret_cast<void*>(&ramie_context_entry);
  fresh.stack = frame;
  fresh.frame = nullptr;
}

}  // namespace ramie::context
