#include "parallel/window_sort.hpp"

#include "parallel/vector_sort.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <immintrin.h>

namespace ramie::detail::sorting {
namespace {

#define RAMIE_AVX2 [[gnu::target("avx2"), gnu::always_inline]] static inline

__m256i* as_vector(void* at) { return static_cast<__m256i*>(at); }
const __m256i* as_vector(const void* at) { return static_cast<const __m256i*>(at); }

struct lanes_of_64 {
  using integer = std::int64_t;
  static constexpr std::size_t count = 4;

  RAMIE_AVX2 void order(__m256i& low, __m256i& high) {
    const __m256i swap = _mm256_cmpgt_epi64(low, high);
    const __m256i less = _mm256_blendv_epi8(low, high, swap);
    high = _mm256_blendv_epi8(high, low, swap);
    low = less;
  }

  RAMIE_AVX2 void transpose(__m256i* rows) {
    const __m256i a = _mm256_unpacklo_epi64(rows[0], rows[1]);
    const __m256i b = _mm256_unpackhi_epi64(rows[0], rows[1]);
    const __m256i c = _mm256_unpacklo_epi64(rows[2], rows[3]);
    const __m256i d = _mm256_unpackhi_epi64(rows[2], rows[3]);
    rows[0] = _mm256_permute2x128_si256(a, c, 0x20);
    rows[1] = _mm256_permute2x128_si256(b, d, 0x20);
    rows[2] = _mm256_permute2x128_si256(a, c, 0x31);
    rows[3] = _mm256_permute2x128_si256(b, d, 0x31);
  }
};

struct lanes_of_32 {
  using integer = std::int32_t;
  static constexpr std::size_t count = 8;

  RAMIE_AVX2 void order(__m256i& low, __m256i& high) {
    const __m256i less = _mm256_min_epi32(low, high);
    high = _mm256_max_epi32(low, high);
    low = less;
  }

  RAMIE_AVX2 void transpose(__m256i* rows) {
    __m256i pairs[8];
    for (std::size_t i = 0; i < 8; i += 2) {
      pairs[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
      pairs[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    __m256i fours[8];
    for (std::size_t i = 0; i < 8; i += 4) {
      fours[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
      fours[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
      fours[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
      fours[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      rows[i] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
      rows[i + 4] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
  }
};

// 60 comparisons, the fewest that are known for 16 (Green, 1969; this one, of 10 layers, as Codish, Cruz-Filipe,
// Ehlers, Müller, Schneider-Kamp and Dobbelaere's list give it).
constexpr std::uint8_t network[][2] = {
    {0, 13},  {1, 12}, {2, 15},  {3, 14},  {4, 8},   {5, 6}, {7, 11},  {9, 10},  {0, 5},   {1, 7},   {2, 9},   {3, 4},
    {6, 13},  {8, 14}, {10, 15}, {11, 12}, {0, 1},   {2, 3}, {4, 5},   {6, 8},   {7, 9},   {10, 11}, {12, 13}, {14, 15},
    {0, 2},   {1, 3},  {4, 10},  {5, 11},  {6, 7},   {8, 9}, {12, 14}, {13, 15}, {1, 2},   {3, 12},  {4, 6},   {5, 7},
    {8, 10},  {9, 11}, {13, 14}, {1, 4},   {2, 6},   {5, 8}, {7, 10},  {9, 13},  {11, 14}, {2, 4},   {3, 6},   {9, 12},
    {11, 13}, {3, 5},  {6, 8},   {7, 9},   {10, 12}, {3, 4}, {5, 6},   {7, 8},   {9, 10},  {11, 12}, {6, 7},   {8, 9}};
static_assert(std::size(network) == 60);

template <class Lanes, std::size_t... Step>
RAMIE_AVX2 void compare_all(__m256i* rows, std::index_sequence<Step...>) {
  (Lanes::order(rows[network[Step][0]], rows[network[Step][1]]), ...);
}

/// Sorts Lanes::count windows that follow one another, from `from` to `to`, which may be the same.
template <class Lanes>
[[gnu::target("avx2"), gnu::noinline]] void sort_group(const typename Lanes::integer* from,
                                                       typename Lanes::integer* to) {
  constexpr std::size_t length = windows<typename Lanes::integer>::length;
  __m256i rows[length];
#pragma GCC unroll 16
  for (std::size_t block = 0; block < length; block += Lanes::count) {
#pragma GCC unroll 16
    for (std::size_t window = 0; window < Lanes::count; ++window)
      rows[block + window] = _mm256_loadu_si256(as_vector(from + length * window + block));
    Lanes::transpose(rows + block);
  }
  compare_all<Lanes>(rows, std::make_index_sequence<std::size(network)>());
#pragma GCC unroll 16
  for (std::size_t block = 0; block < length; block += Lanes::count) {
    Lanes::transpose(rows + block);
#pragma GCC unroll 16
    for (std::size_t window = 0; window < Lanes::count; ++window)
      _mm256_storeu_si256(as_vector(to + length * window + block), rows[block + window]);
  }
}

template <class Lanes>
void sort_windows(typename Lanes::integer* keys, std::size_t count, typename Lanes::integer* out) noexcept {
  using integer = typename Lanes::integer;
  using shape = windows<integer>;
  static_assert(shape::group == shape::length * Lanes::count);
  std::fill_n(keys + count, shape::padding, std::numeric_limits<integer>::max());
  // The second pass follows the first one by a group.
  sort_group<Lanes>(keys, keys);
  std::copy_n(keys, std::min(count, shape::reach), out);
  for (std::size_t at = shape::reach; at < count; at += shape::group) {
    sort_group<Lanes>(keys + (at + shape::group - shape::reach), keys + (at + shape::group - shape::reach));
    if (at + shape::group <= count) {
      sort_group<Lanes>(keys + at, out + at);
    } else {
      sort_group<Lanes>(keys + at, keys + at);
      std::copy(keys + at, keys + count, out + at);
    }
  }
}

}  // namespace

#undef RAMIE_AVX2

bool has_window_sort() noexcept {
  static const bool has = __builtin_cpu_supports("avx2");
  return has && vector_instructions::avx2_allowed();
}

void window_sort(std::int32_t* keys, std::size_t count, std::int32_t* out) noexcept {
  sort_windows<lanes_of_32>(keys, count, out);
}
void window_sort(std::int64_t* keys, std::size_t count, std::int64_t* out) noexcept {
  sort_windows<lanes_of_64>(keys, count, out);
}

}  // namespace ramie::detail::sorting
