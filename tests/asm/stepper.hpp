// Runs code one instruction at a time and unwinds from each, with two unwinders: libunwind, which profilers use, and
// libgcc's, which exceptions use. Everything happens in a SIGTRAP handler on an alternate stack.
//
// Stepped code runs below `test_call_known`, which fills the callee-saved registers with known values. So a chain is
// right if it is
//
//   up to three frames (switch code; a frame without size)
//   the function that test_call_known called
//   test_call_known, with its known values in the callee-saved registers
//   on the thread's stack: exactly the frames that were there before; on the fiber's: fiber_main, the fiber's entry
//
// and both unwinders say that it ends there. While a fiber starts, only its last part is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" {
/// Calls f(argument) with rbx, rbp, r12, r13, r14, r15 = seed + 1 ... seed + 6.
void test_call_known(void (*f)(void*), void* argument, std::uint64_t seed);
/// Single-stepping of this thread on and off.
void test_trap_on();
void test_trap_off();
}

namespace ramie::test {

/// It lives on [bottom, top), begins in `entry`, which calls `main`, which calls `body` through test_call_known.
struct stepped_fiber {
  void* bottom;
  void* top;
  void (*entry)();
  void (*main)(void*, void*);
  void (*body)(void*);
};

class stepper {
 public:
  static constexpr std::uint64_t seed_of_thread = 0x1000;
  static constexpr std::uint64_t seed_of_fiber = 0x2000;

  explicit stepper(const stepped_fiber& fiber);
  ~stepper();
  stepper(const stepper&) = delete;
  stepper& operator=(const stepper&) = delete;

  /// Runs body(argument) below test_call_known, on the thread's stack. It says itself what is stepped, with
  /// test_trap_on and test_trap_off.
  void run(void (*body)(void*), void* argument);

  /// The instructions that were unwound from: all, and those on the fiber's stack.
  [[nodiscard]] std::size_t steps() const { return m_steps; }
  [[nodiscard]] std::size_t fiber_steps() const { return m_fiber_steps; }
  /// The faults, for people; empty if there were none.
  [[nodiscard]] const std::string& complaints() const { return m_complaints; }

  struct frame {
    std::uintptr_t ip;
    std::uintptr_t stack;
    std::uintptr_t function;  // start of its unwind rules
    std::uint64_t known[6];
  };
  using chain = std::vector<frame>;

 private:
  static void handle(void* user_context);
  void check(void* user_context);
  void check_chain(const chain& frames, bool ended, const char* unwinder);
  void complain(const chain& frames, const char* unwinder, const char* what);

  std::uintptr_t m_bottom;
  std::uintptr_t m_top;
  std::uintptr_t m_entry;
  std::uintptr_t m_fiber_main;
  std::uintptr_t m_fiber_body;
  std::uintptr_t m_body = 0;
  std::vector<std::uintptr_t> m_above;  // return addresses above test_call_known on the thread's stack
  std::size_t m_steps = 0;
  std::size_t m_fiber_steps = 0;
  int m_complained = 0;
  std::string m_complaints;
  std::vector<char> m_handler_stack;
};

}  // namespace ramie::test
