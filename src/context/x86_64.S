// Context switching for x86-64, System V ABI. See include/ramie/context/{machine_context,swap_context}.hpp.

    .text

// A fresh context of switch_to begins here. On entry: rdi = message; at (rsp): entry function, argument.
// The stack pointer is 16-byte aligned, as the ABI wants it at a call. The leading nop has this function's unwind
// rules, for an unwinder that looks up "return address minus one" while the context has not run yet.
    .globl  ramie_context_entry
    .type   ramie_context_entry, @function
    .p2align 4
    .cfi_startproc
    .cfi_undefined rip
    nop
ramie_context_entry:
    movq    8(%rsp), %rsi
    xorl    %ebp, %ebp
    call    *(%rsp)
    ud2                             // an entry function does not return
    .cfi_endproc
    .size   ramie_context_entry, . - ramie_context_entry

// A fresh context of swap_context begins here; r12 = entry().
    .globl  ramie_saved_entry
    .type   ramie_saved_entry, @function
    .p2align 4
    .cfi_startproc
    .cfi_undefined rip
    nop
ramie_saved_entry:
    xorl    %ebp, %ebp
    call    *%r12
    ud2
    .cfi_endproc
    .size   ramie_saved_entry, . - ramie_saved_entry

    .macro SAVE to
    movq    %rbx, 0(\to)
    movq    %rbp, 8(\to)
    movq    %r12, 16(\to)
    movq    %r13, 24(\to)
    movq    %r14, 32(\to)
    movq    %r15, 40(\to)
    leaq    8(%rsp), %rax           // the caller's stack pointer after our return
    movq    %rax, 48(\to)
    movq    (%rsp), %rax            // our return address
    movq    %rax, 56(\to)
    stmxcsr 64(\to)
    fnstcw  68(\to)
    .endm

// Continues the context at \from. Its registers are collected in caller-saved ones first, so that the unwind rules
// change in one place: until rsp does, everything is still our caller's; after it the frame is one without size whose
// caller is the target, and each of the target's registers stays where it was collected.
    .macro LOAD from
    ldmxcsr 64(\from)
    fldcw   68(\from)
    movq    0(\from), %r8
    movq    8(\from), %r9
    movq    16(\from), %r10
    movq    24(\from), %r11
    movq    32(\from), %rax
    movq    40(\from), %rcx
    movq    56(\from), %rdx
    movq    48(\from), %rsp
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rdx
    .cfi_register rbx, r8
    .cfi_register rbp, r9
    .cfi_register r12, r10
    .cfi_register r13, r11
    .cfi_register r14, rax
    .cfi_register r15, rcx
    movq    %r8, %rbx
    movq    %r9, %rbp
    movq    %r10, %r12
    movq    %r11, %r13
    movq    %rax, %r14
    .cfi_same_value r14
    movq    %rcx, %r15
    movl    $1, %eax                // what get_context returns the second time
    jmp     *%rdx
    .endm

// int ramie_get_context(saved*)
    .globl  ramie_get_context
    .type   ramie_get_context, @function
    .p2align 4
ramie_get_context:
    .cfi_startproc
    SAVE    %rdi
    xorl    %eax, %eax
    ret
    .cfi_endproc
    .size   ramie_get_context, . - ramie_get_context

// void ramie_set_context(const saved*)
    .globl  ramie_set_context
    .type   ramie_set_context, @function
    .p2align 4
ramie_set_context:
    .cfi_startproc
    LOAD    %rdi
    .cfi_endproc
    .size   ramie_set_context, . - ramie_set_context

// void ramie_swap_context(saved* from, const saved* to)
    .globl  ramie_swap_context
    .type   ramie_swap_context, @function
    .p2align 4
ramie_swap_context:
    .cfi_startproc
    SAVE    %rdi
    LOAD    %rsi
    .cfi_endproc
    .size   ramie_swap_context, . - ramie_swap_context

// The current worker of this kernel thread. Defined here, not in C++, so that link-time optimization neither renames it
// nor learns enough to keep its address across a switch (see include/ramie/context/thread_slot.hpp).
    .section .tbss, "awT", @nobits
    .globl  ramie_thread_slot
    .type   ramie_thread_slot, @tls_object
    .size   ramie_thread_slot, 8
    .p2align 3
ramie_thread_slot:
    .zero   8

// The same for what holds its workers.
    .globl  ramie_carrier_slot
    .type   ramie_carrier_slot, @tls_object
    .size   ramie_carrier_slot, 8
    .p2align 3
ramie_carrier_slot:
    .zero   8

    .section .note.GNU-stack, "", @progbits
