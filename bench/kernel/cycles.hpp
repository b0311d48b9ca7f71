// The processor's clock, for intervals too short, or too many, for steady_clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace bench {

#if defined(__x86_64__)
/// In what cycles() counts.
inline constexpr const char* cycle_unit = "cycles";

/// The time-stamp counter: its rate is constant and it runs on while the thread is off its CPU, so it counts the time
/// of the nominal frequency, not cycles at work. Fenced: what stands before has ended, what stands behind has not
/// begun. About 15 ns.
[[nodiscard]] inline std::uint64_t cycles() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
  return std::uint64_t{high} << 32U | low;
}
#else
inline constexpr const char* cycle_unit = "ns";

[[nodiscard]] inline std::uint64_t cycles() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
#endif

}  // namespace bench
