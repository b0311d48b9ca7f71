// Random numbers for inputs. The Rust programs make the same ones.
#pragma once

#include <cstdint>

namespace bench {

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
class splitmix {
 public:
  explicit constexpr splitmix(std::uint64_t seed) : m_state(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = m_state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  constexpr std::uint32_t next_32() { return static_cast<std::uint32_t>(next() >> 32U); }

  /// In [0, bound), up to a bias of bound / 2^32.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{next_32()} * bound) >> 32U);
  }

 private:
  std::uint64_t m_state;
};

}  // namespace bench
