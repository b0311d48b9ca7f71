// The control words of the two floating-point units: rounding mode, precision, masked exceptions.
//
// The ABI calls them callee-saved, so a fiber that sets its rounding mode must find it again after a switch, and its
// neighbours must not. Storing them is cheap; loading them is not (it drains the pipeline), so that happens only where
// they differ, which in nearly every program is never. (stmxcsr is 4 of the 6 ns that a whole switch costs on a Zen 4;
// there is no cheaper way to read MXCSR.) The exception flags of MXCSR are not control and stay behind.
#pragma once

#include <cstdint>

namespace ramie::context {

class floating_point_control {
 public:
  /// Stores the running thread's words here.
  [[gnu::always_inline]] void save() { asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(m_mxcsr), "=m"(m_x87)); }

  /// Makes the running thread's words these, knowing that they are now as in `current`.
  [[gnu::always_inline]] void load_if_different(const floating_point_control& current) const {
    constexpr std::uint32_t control_bits = 0xFFC0;  // without the six sticky exception flags
    const auto x87_difference = static_cast<std::uint16_t>(m_x87 ^ current.m_x87);
    if ((((m_mxcsr ^ current.m_mxcsr) & control_bits) | x87_difference) != 0) [[unlikely]] {
      // fnclex: a flag that another fiber left set must not become its trap in this one, which may unmask it.
      asm volatile("ldmxcsr %0\n\tfnclex\n\tfldcw %1" : : "m"(m_mxcsr), "m"(m_x87));
    }
  }

 private:
  std::uint32_t m_mxcsr = 0x1F80;  // the state at process start: round to nearest, all exceptions masked
  // Two bytes, because fnstcw stores two: reading four would wait for the store to leave the store buffer (4 ns here).
  std::uint16_t m_x87 = 0x037F;
};

}  // namespace ramie::context
