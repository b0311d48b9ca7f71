#include "kernel/busy_loop.hpp"

namespace bench {
namespace {

constexpr std::uint64_t multiplier = 6364136223846793005U;
constexpr std::uint64_t increment = 1442695040888963407U;

}  // namespace

std::uint64_t busy_loop(std::uint64_t seed, std::uint64_t iterations) {
  std::uint64_t x = seed;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    x = x * multiplier + increment;
    // Opaque: keeps the compiler from composing steps, as busy_loop_result() does.
    asm("" : "+r"(x));
  }
  return x;
}

std::uint64_t busy_loop_result(std::uint64_t seed, std::uint64_t iterations) {
  // x -> a x + c, the step taken 2^k times for the k-th bit.
  std::uint64_t a = multiplier;
  std::uint64_t c = increment;
  std::uint64_t x = seed;
  for (; iterations != 0; iterations >>= 1U) {
    if ((iterations & 1U) != 0) x = a * x + c;
    c = (a + 1) * c;
    a *= a;
  }
  return x;
}

}  // namespace bench
