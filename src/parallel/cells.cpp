#include "parallel/cells.hpp"

#include "parallel/vector_sort.hpp"

#include <limits>

#include <immintrin.h>

namespace ramie::detail::sorting {
namespace {

bool has_avx512() noexcept {
  static const bool has = __builtin_cpu_supports("avx512f");
  return has && vector_instructions::avx512_allowed();
}

template <class Integer>
[[gnu::always_inline]] inline key_range<Integer> range_of(const Integer* keys, std::size_t count) {
  Integer least = keys[0];
  Integer largest = keys[0];
  for (std::size_t i = 1; i < count; ++i) {
    least = keys[i] < least ? keys[i] : least;
    largest = keys[i] > largest ? keys[i] : largest;
  }
  return {least, largest};
}

// The same code; the compiler takes larger vectors.
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw")]] key_range<std::int64_t> wide_range(const std::int64_t* keys,
                                                                                         std::size_t count) {
  return range_of(keys, count);
}

// Distances have 31 bits, and the factor has 32: one multiplication of halves of lanes is enough.
[[gnu::target("avx512f")]] void wide_cells(const std::int64_t* keys, std::size_t count,
                                           const cell_scale<std::int64_t>& scale, std::uint16_t* cells) {
  const __m512i least = _mm512_set1_epi64(scale.least);
  const __m512i factor = _mm512_set1_epi64(static_cast<std::int64_t>(scale.factor));
  const __m128i shift = _mm_cvtsi32_si128(scale.shift);
  constexpr __mmask8 all = 0xFF;
  std::size_t i = 0;
  for (; count - i >= 8; i += 8) {
    const __m512i distance = _mm512_sub_epi64(_mm512_loadu_si512(keys + i), least);
    const __m512i steps = _mm512_maskz_srl_epi64(all, distance, shift);
    const __m512i cell = _mm512_maskz_srli_epi64(all, _mm512_maskz_mul_epu32(all, steps, factor), 32);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cells + i), _mm512_maskz_cvtepi64_epi16(all, cell));
  }
  for (; i < count; ++i) cells[i] = scale(keys[i]);
}

}  // namespace

key_range<std::int32_t> range_of_keys(const std::int32_t* keys, std::size_t count) noexcept {
  return range_of(keys, count);
}
key_range<std::int64_t> range_of_keys(const std::int64_t* keys, std::size_t count) noexcept {
  return has_avx512() ? wide_range(keys, count) : range_of(keys, count);
}

bool cells_of_keys(const std::int64_t* keys, std::size_t count, const cell_scale<std::int64_t>& scale,
                   std::uint16_t* cells) noexcept {
  if (!has_avx512() || scale.factor > std::numeric_limits<std::uint32_t>::max()) return false;
  wide_cells(keys, count, scale, cells);
  return true;
}

}  // namespace ramie::detail::sorting
