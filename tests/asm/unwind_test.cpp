// Unwinding is right at every instruction of the switch: see stepper.hpp for what right means.
#include "stepper.hpp"

#include <ramie/context/execution.hpp>
#include <ramie/context/swap_context.hpp>

#include "../context/fiber.hpp"

#include <gtest/gtest.h>

#include <alloca.h>

// Sanitizers put calls of their own between the instructions; what they unwind is theirs.
#if !RAMIE_ASAN && !RAMIE_TSAN

extern "C" void ramie_saved_entry();

namespace {

using namespace ramie::context;
using ramie::context::test::guarded_stack;
using ramie::test::stepped_fiber;
using ramie::test::stepper;

constexpr int rounds = 3;

// How the two sides leave each other; each is stepped in both directions, from the first instruction of the fiber on.
struct with_switch_to {
  machine_context thread;
  machine_context fiber;
  [[gnu::always_inline]] void to_fiber() { switch_to(thread, fiber, this); }
  [[gnu::always_inline]] void to_thread() { switch_to(fiber, thread, this); }
};

struct with_switch_execution {
  execution thread;
  execution fiber;
  exception_state& exceptions = exception_state::of_this_thread();
  [[gnu::always_inline]] void to_fiber() { switch_execution(exceptions, thread, fiber, this); }
  [[gnu::always_inline]] void to_thread() { switch_execution(exceptions, fiber, thread, this); }
};

// In frames that the compiler has to lay out differently: realigned, and with a size known only at run time.
struct with_unusual_frames : with_switch_to {
  [[gnu::noinline]] void to_fiber() {
    alignas(64) volatile char aligned[64] = {1};
    switch_to(thread, fiber, this);
    aligned[0] = aligned[1];
  }
  [[gnu::noinline]] void to_thread() {
    volatile std::size_t size = 100;
    void* const memory = alloca(size);
    asm volatile("" : : "r"(memory) : "memory");
    switch_to(fiber, thread, this);
    asm volatile("" : : "r"(memory) : "memory");
  }
};

struct with_swap_context {
  saved_registers thread{};
  saved_registers fiber{};
  [[gnu::always_inline]] void to_fiber() { swap_context(thread, fiber); }
  [[gnu::always_inline]] void to_thread() { swap_context(fiber, thread); }
};

struct with_get_and_set_context {
  saved_registers thread{};
  saved_registers fiber{};
  [[gnu::noinline]] void to_fiber() {
    if (ramie_get_context(&thread) == 0) set_context(fiber);
  }
  [[gnu::noinline]] void to_thread() {
    if (ramie_get_context(&fiber) == 0) set_context(thread);
  }
};

template <class Way>
struct scene {
  static inline scene* current = nullptr;

  Way way;
  guarded_stack stack;
  int fiber_rounds = 0;

  static void thread_body(void* self) {
    Way& way = static_cast<scene*>(self)->way;
    test_trap_on();
    for (int i = 0; i < rounds; ++i) way.to_fiber();
    test_trap_off();
    asm volatile("");  // so that it is not a tail call, in which this function would be missing
  }
  static void fiber_body(void* self) {
    auto& mine = *static_cast<scene*>(self);
    for (;;) {
      ++mine.fiber_rounds;
      mine.way.to_thread();
    }
  }
  static void fiber_main(void*, void*) {
    test_call_known(fiber_body, current, stepper::seed_of_fiber);
    __builtin_trap();
  }

  void run() {
    current = this;
    void (*entry)() = &ramie_context_entry;
    if constexpr (requires { way.fiber.rip; }) {
      entry = &ramie_saved_entry;
      // The entry of swap_context passes nothing; what fiber_main does not look at may be anything.
      make_context(way.fiber, stack.top(), reinterpret_cast<void (*)()>(reinterpret_cast<void*>(&fiber_main)));
    } else if constexpr (requires { way.fiber.machine; }) {
      make_context(way.fiber.machine, stack.top(), &fiber_main, nullptr);
    } else {
      make_context(way.fiber, stack.top(), &fiber_main, nullptr);
    }
    stepper steps(stepped_fiber{stack.bottom(), stack.top(), entry, &fiber_main, &fiber_body});
    steps.run(&thread_body, this);
    EXPECT_EQ(fiber_rounds, rounds);
    EXPECT_GT(steps.steps(), 60U);
    EXPECT_GT(steps.fiber_steps(), 30U);
    EXPECT_EQ(steps.complaints(), "");
    testing::Test::RecordProperty("instructions", static_cast<int>(steps.steps()));
  }
};

template <class Way>
void step_through() {
  scene<Way> one;
  one.run();
}

TEST(Unwinding, IsRightAtEveryInstructionOfSwitchTo) { step_through<with_switch_to>(); }
TEST(Unwinding, IsRightAtEveryInstructionOfSwitchExecution) { step_through<with_switch_execution>(); }
TEST(Unwinding, IsRightAtEveryInstructionOfSwitchToInUnusualFrames) { step_through<with_unusual_frames>(); }
TEST(Unwinding, IsRightAtEveryInstructionOfSwapContext) { step_through<with_swap_context>(); }
TEST(Unwinding, IsRightAtEveryInstructionOfGetAndSetContext) { step_through<with_get_and_set_context>(); }

}  // namespace

#endif
