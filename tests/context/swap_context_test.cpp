#include "fiber.hpp"

#include <ramie/context/swap_context.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <immintrin.h>

using ramie::context::saved_registers;

extern "C" {
/// Fills the six callee-saved registers with 0x1111..., 0x2222..., and so on, calls ramie_swap_context, and stores what
/// is in them afterwards.
void test_swap_with_known_registers(saved_registers* from, const saved_registers* to, std::uint64_t* observed);
/// The same with ramie_get_context and, after ruining the registers, ramie_set_context. Returns what the second return
/// of get_context returned.
int test_get_and_set_with_known_registers(saved_registers* saved, std::uint64_t* observed);
/// An entry function: keeps the stack pointer it was entered with in test_entry_stack and goes on in test_after_entry.
void test_entry();
void test_after_entry();
std::uint64_t test_entry_stack = 0;
}

asm(R"(
    .macro test_fill multiplier
    movabsq $(0x1111111111111111 * \multiplier), %rax
    leaq    (%rax), %rbx
    leaq    (%rax, %rax), %rbp
    leaq    (%rax, %rax, 2), %r12
    leaq    (, %rax, 4), %r13
    leaq    (%rax, %rax, 4), %r14
    leaq    (%r12, %r12), %r15
    .endm
    .macro test_push
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rdx
    .endm
    .macro test_store_and_pop
    movq %rbx, (%rdx)
    movq %rbp, 8(%rdx)
    movq %r12, 16(%rdx)
    movq %r13, 24(%rdx)
    movq %r14, 32(%rdx)
    movq %r15, 40(%rdx)
    pop  %r15
    pop  %r14
    pop  %r13
    pop  %r12
    pop  %rbp
    pop  %rbx
    .endm

    .text
    .globl  test_swap_with_known_registers
    .type   test_swap_with_known_registers, @function
test_swap_with_known_registers:
    test_push
    test_fill 1
    call    ramie_swap_context@PLT
    pop     %rdx
    test_store_and_pop
    ret
    .size   test_swap_with_known_registers, . - test_swap_with_known_registers

    .globl  test_get_and_set_with_known_registers
    .type   test_get_and_set_with_known_registers, @function
test_get_and_set_with_known_registers:
    movq    %rsi, %rdx
    test_push
    pushq   %rdi
    subq    $8, %rsp
    test_fill 1
    call    ramie_get_context@PLT
    testl   %eax, %eax
    jne     1f
    test_fill 0
    movq    8(%rsp), %rdi
    call    ramie_set_context@PLT
    ud2
1:  addq    $16, %rsp
    popq    %rdx
    test_store_and_pop
    ret
    .size   test_get_and_set_with_known_registers, . - test_get_and_set_with_known_registers

    .globl  test_entry
    .type   test_entry, @function
test_entry:
    movq    test_entry_stack@GOTPCREL(%rip), %rax
    movq    %rsp, (%rax)
    jmp     test_after_entry@PLT
    .size   test_entry, . - test_entry
)");

namespace {

using ramie::context::make_context;
using ramie::context::set_context;
using ramie::context::swap_context;
using ramie::context::tool_state;
using ramie::context::test::fewer_when_sanitized;
using ramie::context::test::guarded_stack;

constexpr std::array<std::uint64_t, 6> known = {0x1111111111111111, 0x2222222222222222, 0x3333333333333333,
                                                0x4444444444444444, 0x5555555555555555, 0x6666666666666666};

// Two executions, of which `there` begins in an entry function without arguments.
struct pair {
  saved_registers here{};
  saved_registers there{};
  tool_state tools_here;
  tool_state tools_there;
  guarded_stack stack;
  void (*body)() = nullptr;
  long value = 0;

  void start(void (*entry)()) {
    tools_here.attach_this_thread();
    tools_there.attach_stack(stack.bottom(), stack.top());
    make_context(there, stack.top(), entry);
  }
  ~pair() {
    if (there.rip != nullptr) tools_there.detach_stack();
  }

  [[gnu::always_inline]] void go() {
    tools_here.leave(tools_there, false);
    swap_context(here, there);
    tools_here.arrive();
  }
  [[gnu::always_inline]] void back() {
    tools_there.leave(tools_here, false);
    swap_context(there, here);
    tools_there.arrive();
  }
};
pair* current = nullptr;

class SwapContext : public testing::Test {
 protected:
  SwapContext() { current = &m_pair; }
  ~SwapContext() override {
    current = nullptr;
    std::fesetenv(FE_DFL_ENV);
  }
  pair m_pair;
};

TEST_F(SwapContext, GetContextReturnsZeroAndThenOneEachTimeItIsSet) {
  saved_registers saved{};
  volatile int first = 0;
  volatile int again = 0;
  if (ramie_get_context(&saved) == 0) {
    first = first + 1;
  } else {
    again = again + 1;
  }
  if (again < 3) set_context(saved);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(again, 3);
}

TEST_F(SwapContext, GetAndSetKeepCalleeSavedRegisters) {
  saved_registers saved{};
  std::array<std::uint64_t, 6> observed{};
  EXPECT_EQ(test_get_and_set_with_known_registers(&saved, observed.data()), 1);
  EXPECT_EQ(observed, known);
}

TEST_F(SwapContext, SwapKeepsCalleeSavedRegisters) {
  std::array<std::uint64_t, 6> observed{};
  m_pair.start([] {
    current->tools_there.arrive();
    for (;;) {
      asm volatile(
          "xorl %%ebx, %%ebx\n\tmovq %%rbx, %%r12\n\tmovq %%rbx, %%r13\n\tmovq %%rbx, %%r14\n\tmovq %%rbx, %%r15" ::
              : "rbx", "r12", "r13", "r14", "r15", "cc");
      current->back();
    }
  });
  m_pair.tools_here.leave(m_pair.tools_there, false);
  test_swap_with_known_registers(&m_pair.here, &m_pair.there, observed.data());
  m_pair.tools_here.arrive();
  EXPECT_EQ(observed, known);
}

TEST_F(SwapContext, EntryIsCalledWithAnAlignedStack) {
  m_pair.start(test_entry);
  m_pair.go();
  EXPECT_EQ(m_pair.value, 1);
  EXPECT_EQ(test_entry_stack % 16, 8U) << "a call leaves 8 bytes on a stack that was aligned to 16";
  EXPECT_LT(test_entry_stack, reinterpret_cast<std::uint64_t>(m_pair.stack.top()));
}

TEST_F(SwapContext, KeepsControlWordsOfEachSide) {
  m_pair.start([] {
    current->tools_there.arrive();
    std::fesetround(FE_UPWARD);
    current->back();
    current->value = std::fegetround();
    current->back();
  });
  m_pair.go();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(_mm_getcsr() & 0x6000U, 0U);
  std::fesetround(FE_DOWNWARD);
  m_pair.go();
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  EXPECT_EQ(_mm_getcsr() & 0x6000U, 0x2000U);
  EXPECT_EQ(m_pair.value, FE_UPWARD);
}

TEST_F(SwapContext, PingPong) {
  const int rounds = fewer_when_sanitized(1'000'000);
  m_pair.start([] {
    current->tools_there.arrive();
    for (;;) {
      ++current->value;
      current->back();
    }
  });
  for (int i = 0; i < rounds; ++i) m_pair.go();
  EXPECT_EQ(m_pair.value, rounds);
}

}  // namespace

void test_after_entry() {
  current->tools_there.arrive();
  current->value = 1;
  for (;;) current->back();
}
