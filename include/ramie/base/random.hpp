// A small, fast, seedable generator, one a worker: victim choice and jitter, never secrets.
#pragma once

#include <cstdint>

namespace ramie {

/// xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016).
/// Not thread-safe; 8 bytes of state; about 1 ns a number. Any seed is good: it is mixed first (splitmix64).
class random_source {
 public:
  explicit constexpr random_source(std::uint64_t seed) : m_state(mix(seed)) {}

  constexpr std::uint64_t next() {
    m_state ^= m_state >> 12U;
    m_state ^= m_state << 25U;
    m_state ^= m_state >> 27U;
    return m_state * 0x2545F4914F6CDD1DULL;
  }

  /// A number in [0, bound), without division (Lemire 2019, without the rejection step: the bias is below
  /// bound / 2^32, which a victim choice does not feel). bound > 0.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    z ^= z >> 31U;
    return z != 0 ? z : 1;  // xorshift stays at zero
  }
  std::uint64_t m_state;
};

}  // namespace ramie
