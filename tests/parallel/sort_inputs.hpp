// Inputs for the tests of sorting, and what a sort must have made of them.
#pragma once

#include <support/fibers.hpp>

#include <ramie/base/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace ramie::test {

/// Of `count` numbers: 64 random bits each, in an order and with repetitions.
struct pattern {
  const char* name;
  std::function<std::uint64_t(std::size_t i, std::size_t count, random_source&)> at;
};

const std::vector<pattern>& patterns();

/// As many of them.
std::vector<std::uint64_t> random_bits(const pattern& how, std::size_t count, std::uint64_t seed);

template <class T>
std::vector<T> numbers(const pattern& how, std::size_t count, std::uint64_t seed) {
  const std::vector<std::uint64_t> all = random_bits(how, count, seed);
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      made[i] = static_cast<T>(static_cast<std::int64_t>(all[i])) / T{8};
    } else {
      made[i] = static_cast<T>(all[i]);
    }
  }
  return made;
}

/// The stack size that must be enough where the compiler optimizes.
inline constexpr bytes little_stack = sanitized || RAMIE_ASSERTIONS != 0 ? 256_KiB : 16_KiB;

/// In a fiber, before one with a little stack does something: so that it is not the one on whose stack the scheduler
/// makes new fibers, which takes 16 KiB.
void have_fibers_made();

/// Sizes around everything at which something changes: insertion, leaves, cells, buckets, stripes, blocks.
const std::vector<std::size_t>& sizes();

/// The bits of a number, spread over all 64, so that sums of them tell sets of numbers apart (splitmix64).
inline std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EB;
  return bits ^ (bits >> 31U);
}

/// Of all elements, in whatever order: two ranges hold the same elements if these are equal (but for a chance of
/// 2^-64). Instead of the elements sorted by std::sort, which takes the compiler long for each type.
template <class T>
std::uint64_t fingerprint(const std::vector<T>& of) {
  std::uint64_t sum = 0;
  for (const T& each : of) {
    std::uint64_t bits = 0;
    if constexpr (std::is_arithmetic_v<T>) {
      static_assert(sizeof(T) <= sizeof bits);
      std::memcpy(&bits, &each, sizeof(T));
    } else {
      bits = std::hash<T>()(each);
    }
    sum += mixed(bits);
  }
  return sum;
}

/// Calls sort(v). Whether v is sorted then and holds what it held.
template <class T, class Sort, class Less = std::less<>>
[[nodiscard]] bool is_sorted_by(const Sort& sort, std::vector<T>& v, Less less = {}) {
  const std::uint64_t before = fingerprint(v);
  sort(v);
  return std::is_sorted(v.begin(), v.end(), less) && fingerprint(v) == before;
}

}  // namespace ramie::test
