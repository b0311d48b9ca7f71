// A clock for intervals of about a microsecond: read in some nanoseconds, of a rate that is only roughly known.
#pragma once

#include <ramie/base/config.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/base/time.hpp>

#include <cstdint>

namespace ramie {

#if RAMIE_OTHER_PROVIDER || !(defined(__x86_64__) || defined(__aarch64__))

// Another machine has a clock of its own.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
  const auto now = native_provider::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
[[nodiscard]] inline std::uint64_t ticks_a_microsecond() noexcept { return 1000; }

#elif defined(__x86_64__)

/// Runs on at one rate while the thread is off its processor, on all processors of the machine alike. Not a fence: the
/// instructions around it may move by some nanoseconds. Any thread; about 10 ns.
[[nodiscard]] inline std::uint64_t ticks() noexcept { return __builtin_ia32_rdtsc(); }

/// Right up to a factor of two: the time-stamp counters of the processors with which one meets run at 1.5 to 5 GHz.
[[nodiscard]] constexpr std::uint64_t ticks_a_microsecond() noexcept { return 2700; }

#else

[[nodiscard]] inline std::uint64_t ticks() noexcept {
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
}
// 1 GHz by the architecture since Armv8.6, some tens of MHz before.
[[nodiscard]] inline std::uint64_t ticks_a_microsecond() noexcept {
  std::uint64_t frequency;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency / 1'000'000;
}

#endif

}  // namespace ramie
