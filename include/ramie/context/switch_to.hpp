// The inlined context switch, x86-64.
//
// It is fast because there is no call, no return and no push. The clobber list tells the compiler that every register
// is lost, so it keeps live values in the frame, where most of them are anyway.
//
// Unwind information is right at every instruction. Until `movq 8(to), %rsp` the compiler's own rules hold. From there
// to the jump the frame belongs to nobody: it is described as a frame without size whose caller is the target (address
// in rax, frame pointer in rcx). The nop after the jump is never executed: a return address is looked up one byte
// before it, and that byte must have the rules of this function, not those of the jump.
//
// Two limits, both of the compilers. The clobbers of AVX-512 follow the options of the translation unit: in one
// compiled without it, a function with the attribute target("avx512f") must not wait. clang keeps a base pointer in rbx
// in a function that has both over-aligned locals and a variable-length array, and warns that the clobber is not
// honoured: such a function must not wait either, move the array out of it.
#pragma once

#include <ramie/base/config.hpp>
#include <ramie/context/machine_context.hpp>

namespace ramie::context {

#if defined(__GCC_HAVE_DWARF2_CFI_ASM)
#define RAMIE_CFI(text) text "\n\t"
#else
#define RAMIE_CFI(text)
#endif

// In sanitizer builds frames are realigned, and the compiler may keep a base pointer in rbx, which could then not be
// clobbered; a function of its own has a plain frame.
#if RAMIE_ASAN || RAMIE_TSAN
#define RAMIE_SWITCH_INLINE __attribute__((noinline, no_sanitize("address", "thread", "undefined"))) inline
#else
#define RAMIE_SWITCH_INLINE [[gnu::always_inline]] inline
#endif

/// Saves the current execution in `from` and continues `to`, which receives `message`. Returns, when someone switches
/// back to `from`, what that switch passed. Only the thread that runs `from` may call it, and `to` must not be running.
/// Anything remembered from before the call that depends on the kernel thread is stale after it.
RAMIE_SWITCH_INLINE void* switch_to(machine_context& from, machine_context& to, void* message) {
  machine_context* from_register = &from;
  machine_context* to_register = &to;
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, 0(%[from])\n\t"
      "movq %%rsp, 8(%[from])\n\t"
      "movq %%rbp, 16(%[from])\n\t"
      "movq 0(%[to]), %%rax\n\t"
      "movq 16(%[to]), %%rcx\n\t"
      "movq 8(%[to]), %%rsp\n\t"  //
      RAMIE_CFI(".cfi_remember_state")
      RAMIE_CFI(".cfi_def_cfa %%rsp, 0")
      RAMIE_CFI(".cfi_register %%rip, %%rax")
      RAMIE_CFI(".cfi_register %%rbp, %%rcx")
      RAMIE_CFI(".cfi_same_value %%rbx")
      RAMIE_CFI(".cfi_same_value %%r12")
      RAMIE_CFI(".cfi_same_value %%r13")
      RAMIE_CFI(".cfi_same_value %%r14")
      RAMIE_CFI(".cfi_same_value %%r15")
      "movq %%rcx, %%rbp\n\t"
      "jmp *%%rax\n\t"
      RAMIE_CFI(".cfi_restore_state")
      "nop\n\t"
      "1:\n\t"
      : [from] "+S"(from_register), [to] "+d"(to_register), [message] "+D"(message)
      :
      : "rax", "rcx", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",  //
        "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15",
#if defined(__AVX512F__)
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
        "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
        "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
  return message;
}

#undef RAMIE_CFI
#undef RAMIE_SWITCH_INLINE

}  // namespace ramie::context
