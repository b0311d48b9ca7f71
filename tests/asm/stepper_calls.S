// The functions of stepper.hpp that must be assembly. Their own unwind rules are part of what is tested.

    .text
    .globl  test_call_known
    .type   test_call_known, @function
test_call_known:
    .cfi_startproc
    .irp    register, rbx, rbp, r12, r13, r14, r15
    pushq   %\register
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \register, 0
    .endr
    subq    $8, %rsp
    .cfi_adjust_cfa_offset 8
    leaq    1(%rdx), %rbx
    leaq    2(%rdx), %rbp
    leaq    3(%rdx), %r12
    leaq    4(%rdx), %r13
    leaq    5(%rdx), %r14
    leaq    6(%rdx), %r15
    movq    %rdi, %rax
    movq    %rsi, %rdi
    call    *%rax
    .globl  test_known_return
    .hidden test_known_return
test_known_return:
    addq    $8, %rsp
    .cfi_adjust_cfa_offset -8
    .irp    register, r15, r14, r13, r12, rbp, rbx
    popq    %\register
    .cfi_adjust_cfa_offset -8
    .cfi_restore \register
    .endr
    ret
    .cfi_endproc
    .size   test_call_known, . - test_call_known

    .globl  test_trap_on
    .type   test_trap_on, @function
test_trap_on:
    .cfi_startproc
    pushfq
    .cfi_adjust_cfa_offset 8
    orq     $0x100, (%rsp)
    popfq
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size   test_trap_on, . - test_trap_on

    .globl  test_trap_off
    .type   test_trap_off, @function
test_trap_off:
    .cfi_startproc
    pushfq
    .cfi_adjust_cfa_offset 8
    andq    $~0x100, (%rsp)
    popfq
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size   test_trap_off, . - test_trap_off

    .section .note.GNU-stack, "", @progbits
