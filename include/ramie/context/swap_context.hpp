// The switch as ordinary functions, under the names of the source: get_context, set_context, swap_context.
#pragma once

#include <cstdint>

extern "C" {

/// The state that the System V ABI keeps across a call: six registers, the stack and instruction pointers, and the
/// control words of the two floating-point units (rounding, masked exceptions). The offsets are known to x86_64.S.
struct ramie_saved_registers {
  void* rbx;
  void* rbp;
  void* r12;
  void* r13;
  void* r14;
  void* r15;
  void* rsp;
  void* rip;
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
};

/// Saves the caller's execution. Returns 0 now, and 1 each time set_context continues it; the function that called
/// get_context must not have returned by then.
[[gnu::returns_twice]] int ramie_get_context(ramie_saved_registers* saved);
/// Continues a saved execution. Does not return.
[[noreturn]] void ramie_set_context(const ramie_saved_registers* saved);
/// Saves the caller in `from` and continues `to`; returns when someone continues `from`.
void ramie_swap_context(ramie_saved_registers* from, const ramie_saved_registers* to);

}  // extern "C"

namespace ramie::context {

using saved_registers = ramie_saved_registers;

// Another name for the same function, not a wrapper: a function that returns twice cannot be inlined.
[[gnu::returns_twice]] int get_context(saved_registers& saved) asm("ramie_get_context");
[[noreturn]] inline void set_context(const saved_registers& saved) { ramie_set_context(&saved); }
inline void swap_context(saved_registers& from, const saved_registers& to) { ramie_swap_context(&from, &to); }

/// Makes `fresh` begin in entry() on the stack that ends at `top` (16-byte aligned). entry must not return.
void make_context(saved_registers& fresh, void* top, void (*entry)());

}  // namespace ramie::context
