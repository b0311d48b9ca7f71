// A loop that keeps a core busy, that no compiler can shorten, and whose result can be checked without running it.
#pragma once

#include <cstdint>

namespace bench {

/// `iterations` steps of Knuth's 64-bit linear congruential generator from `seed`; each depends on the one before.
/// About 1 ns each.
[[nodiscard, gnu::noinline]] std::uint64_t busy_loop(std::uint64_t seed, std::uint64_t iterations);

/// The same number in about 64 steps: the generator's step composed with itself, as F. Brown, "Random Number Generation
/// with Arbitrary Strides" (1994).
[[nodiscard]] std::uint64_t busy_loop_result(std::uint64_t seed, std::uint64_t iterations);

}  // namespace bench
