#include "fiber.hpp"

#include <ramie/context/switch_to.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <thread>
#include <unwind.h>
#include <vector>

extern "C" {
/// An entry function: keeps the stack pointer it was entered with and goes on in test_after_probe.
void test_probe(void* message, void* argument);
void test_after_probe(void* message, void* argument);
std::uint64_t test_probe_stack = 0;
}

asm(R"(
    .text
    .globl  test_probe
    .type   test_probe, @function
test_probe:
    movq    test_probe_stack@GOTPCREL(%rip), %rax
    movq    %rsp, (%rax)
    jmp     test_after_probe@PLT
    .size   test_probe, . - test_probe
)");

namespace {

using namespace ramie::context;
using test::bare_switch;
using test::fewer_when_sanitized;
using test::guarded_stack;

void* as_message(std::uintptr_t value) { return reinterpret_cast<void*>(value); }
std::uintptr_t as_value(void* message) { return reinterpret_cast<std::uintptr_t>(message); }

// An execution that begins in `entry(message, this)` and knows its peer.
struct strand {
  strand(execution& to_peer, entry_function entry) : peer(&to_peer) {
    make_context(self.machine, stack.top(), entry, this);
    self.tools.attach_stack(stack.bottom(), stack.top());
  }
  ~strand() { self.tools.detach_stack(); }
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;

  execution self;
  execution* peer;
  guarded_stack stack;
  std::uint64_t value = 0;
};

struct here : execution {
  here() { tools.attach_this_thread(); }
};

TEST(SwitchTo, PassesMessagesBothWays) {
  here main;
  strand doubler(main, [](void* message, void* argument) {
    auto& me = *static_cast<strand*>(argument);
    me.self.tools.arrive();
    for (;;) message = bare_switch(me.self, *me.peer, as_message(2 * as_value(message)));
  });
  for (std::uintptr_t i = 0; i < 1000; ++i) ASSERT_EQ(as_value(bare_switch(main, doubler.self, as_message(i))), 2 * i);
  EXPECT_EQ(bare_switch(main, doubler.self, nullptr), nullptr);
}

TEST(SwitchTo, PingPong) {
  const int rounds = fewer_when_sanitized(1'000'000);
  here main;
  strand other(main, [](void*, void* argument) {
    auto& me = *static_cast<strand*>(argument);
    me.self.tools.arrive();
    for (;;) {
      ++me.value;
      bare_switch(me.self, *me.peer);
    }
  });
  for (int i = 0; i < rounds; ++i) bare_switch(main, other.self);
  EXPECT_EQ(other.value, static_cast<std::uint64_t>(rounds));
}

// More live values than there are registers, of every register class, across a switch to someone who overwrites all.
template <class Number>
[[gnu::noinline]] Number sum_across_switch(execution& from, execution& to, Number seed) {
  Number a = seed + 1, b = seed + 2, c = seed + 3, d = seed + 4, e = seed + 5, f = seed + 6, g = seed + 7, h = seed + 8;
  Number i = seed * 2, j = seed * 3, k = seed * 4, l = seed * 5, m = seed * 6, n = seed * 7, o = seed * 8, p = seed * 9;
  std::array<Number, 4> memory{a, b, c, d};
  bare_switch(from, to);
  memory[0] += i;
  return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + memory[0] + memory[3];
}

template <class Number>
Number sum_without_switch(Number s) {
  return (8 * s + 36) + (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9) * s + (s + 1 + 2 * s) + (s + 4);
}

void overwrite_everything(void*, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  me.self.tools.arrive();
  for (;;) {
    asm volatile(
        "movq $-1, %%rbx\n\tmovq %%rbx, %%r12\n\tmovq %%rbx, %%r13\n\tmovq %%rbx, %%r14\n\tmovq %%rbx, %%r15\n\t"
        "pcmpeqd %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm6\n\tmovdqa %%xmm0, %%xmm8\n\tmovdqa %%xmm0, %%xmm15\n\t" ::
            : "rbx", "r12", "r13", "r14", "r15", "xmm0", "xmm6", "xmm8", "xmm15");
    bare_switch(me.self, *me.peer);
  }
}

TEST(SwitchTo, LiveValuesSurvive) {
  here main;
  strand other(main, overwrite_everything);
  for (int i = 0; i < 100; ++i) {
    volatile int seed = i;  // so that nothing is computed in advance
    ASSERT_EQ(sum_across_switch<std::uint64_t>(main, other.self, static_cast<std::uint64_t>(seed)),
              sum_without_switch<std::uint64_t>(static_cast<std::uint64_t>(i)));
    ASSERT_EQ(sum_across_switch<double>(main, other.self, seed), sum_without_switch<double>(i));
    ASSERT_EQ(sum_across_switch<long double>(main, other.self, seed), sum_without_switch<long double>(i));
  }
}

TEST(SwitchTo, RingOfManyContextsVisitsEachInOrder) {
  constexpr std::size_t size = 200;
  const int laps = fewer_when_sanitized(2000);
  here main;
  std::vector<std::unique_ptr<strand>> ring;
  for (std::size_t i = 0; i < size; ++i) {
    ring.push_back(std::make_unique<strand>(main, [](void* message, void* argument) {
      auto& me = *static_cast<strand*>(argument);
      me.self.tools.arrive();
      std::uint64_t visits = 0;  // must live through the switches
      for (;;) {
        me.value = ++visits;
        message = bare_switch(me.self, *me.peer, as_message(as_value(message) + 1));
      }
    }));
  }
  for (std::size_t i = 0; i + 1 < size; ++i) ring[i]->peer = &ring[i + 1]->self;
  for (int lap = 0; lap < laps; ++lap) ASSERT_EQ(as_value(bare_switch(main, ring.front()->self)), size);
  for (const auto& one : ring) EXPECT_EQ(one->value, static_cast<std::uint64_t>(laps));
}

TEST(SwitchTo, EntryIsCalledWithAnAlignedStack) {
  here main;
  strand other(main, test_probe);
  EXPECT_EQ(as_value(bare_switch(main, other.self, as_message(7))), 7U);
  EXPECT_EQ(test_probe_stack % 16, 8U) << "a call leaves 8 bytes on a stack that was aligned to 16";
  EXPECT_EQ(as_value(other.stack.top()) - test_probe_stack, 24U) << "make_context uses 16 bytes, the call 8";
}

TEST(SwitchTo, ResumesOnAnotherKernelThread) {
  here main;
  strand other(main, [](void*, void* argument) {
    auto& me = *static_cast<strand*>(argument);
    me.self.tools.arrive();
    std::uint64_t local = 1;
    bare_switch(me.self, *me.peer);
    me.value = ++local;
    bare_switch(me.self, *me.peer);
  });
  bare_switch(main, other.self);
  std::thread([&] {
    here second;
    other.peer = &second;
    bare_switch(second, other.self);
  }).join();
  EXPECT_EQ(other.value, 2U);
}

struct backtrace {
  std::vector<std::uintptr_t> starts;  // of the functions, innermost first
  _Unwind_Reason_Code ended = _URC_NO_REASON;

  [[gnu::noinline]] void take() {
    starts.clear();
    ended = _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* self) {
          auto& all = static_cast<backtrace*>(self)->starts;
          all.push_back(_Unwind_GetRegionStart(frame));
          return all.size() < 50 ? _URC_NO_REASON : _URC_NORMAL_STOP;
        },
        this);
  }
};

TEST(SwitchTo, BacktraceInsideAFiberEndsAtItsEntry) {
  static backtrace first;
  static backtrace resumed;
  here main;
  strand other(main, [](void*, void* argument) {
    auto& me = *static_cast<strand*>(argument);
    me.self.tools.arrive();
    first.take();
    bare_switch(me.self, *me.peer);
    resumed.take();
    bare_switch(me.self, *me.peer);
  });
  bare_switch(main, other.self);
  bare_switch(main, other.self);
  // The unwind rules of the entry begin one byte before it.
  const auto entry = reinterpret_cast<std::uintptr_t>(&ramie_context_entry) - 1;
  for (const backtrace& one : {first, resumed}) {
    EXPECT_EQ(one.ended, _URC_END_OF_STACK);
    ASSERT_GE(one.starts.size(), 2U);
    EXPECT_LE(one.starts.size(), 5U);
    EXPECT_EQ(one.starts.back(), entry);
  }
}

}  // namespace

void test_after_probe(void* message, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  me.self.tools.arrive();
  for (;;) bare_switch(me.self, *me.peer, message);
}
