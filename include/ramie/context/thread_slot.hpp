// Two pointers a kernel thread, read afresh at every use.
//
// A compiler may compute the address of a thread_local once and keep it for the rest of a function. After a switch the
// function may go on on another kernel thread, and the kept address is then the old thread's: silent corruption, which
// no sanitizer sees and which `volatile` and `noinline` do not prevent (gcc 12 and clang 19, -O2, no LTO needed).
//
// Here the address never exists in C++: one asm statement reads the word relative to fs, the thread register, with the
// initial-exec model (two instructions in a shared object, which the linker turns into one in a program). It is
// volatile and clobbers memory, so it is neither merged with an earlier one nor moved across a switch or a call.
#pragma once

#include <ramie/base/config.hpp>

namespace ramie::context {

/// The word of the calling kernel thread; null until set_thread_slot(). Any thread; about 0.3 ns.
[[gnu::always_inline]] inline void* thread_slot() {
  void* value;
  asm volatile(
      "movq ramie_thread_slot@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(value)
      :
      : "memory");
  return value;
}

[[gnu::always_inline]] inline void set_thread_slot(void* value) {
  void* scratch;
  asm volatile(
      "movq ramie_thread_slot@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(scratch)
      : "r"(value)
      : "memory");
}

/// The second one.
[[gnu::always_inline]] inline void* carrier_slot() {
  void* value;
  asm volatile(
      "movq ramie_carrier_slot@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(value)
      :
      : "memory");
  return value;
}

[[gnu::always_inline]] inline void set_carrier_slot(void* value) {
  void* scratch;
  asm volatile(
      "movq ramie_carrier_slot@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(scratch)
      : "r"(value)
      : "memory");
}

}  // namespace ramie::context
