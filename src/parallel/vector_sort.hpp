// Sorts integers on the calling worker, in place, whatever their distribution: by vector instructions where the build
// has Highway (RAMIE_HIGHWAY).
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramie::detail::sorting {

/// Ascending. n log n for every input; blocks nothing, allocates nothing, throws nothing. A call of vqsort costs 0.7 µs
/// (it asks the kernel for a seed), so few keys go another way.
///
/// vqsort is that of Highway (Wassenberg, Blacher, Giesen, Sanders, "Vectorized and performance-portable quicksort",
/// 2022), chosen at run time for AVX2, AVX-512, SSE4. Only ever for integers: version 1.0.3, which Debian 12 has, turns
/// infinities into the largest finite number (google/highway#1486), and NaNs and zeros of both signs into one another.
/// Its frames take 6 KiB of stack. It has no state of a thread or a process but which instructions to use.
void vector_sort(std::int16_t* keys, std::size_t count) noexcept;
void vector_sort(std::int32_t* keys, std::size_t count) noexcept;
void vector_sort(std::int64_t* keys, std::size_t count) noexcept;

/// For tests: what there is besides portable code may be used, or not. As if the build or the processor lacked it.
struct vector_instructions {
  static bool highway_allowed() noexcept;
  static void allow_highway(bool) noexcept;
  static bool avx2_allowed() noexcept;
  static void allow_avx2(bool) noexcept;
  static bool avx512_allowed() noexcept;
  static void allow_avx512(bool) noexcept;
};

}  // namespace ramie::detail::sorting
