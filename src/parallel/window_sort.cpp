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
#define RAMIE_AVX512 [[gnu::target("avx512f"), gnu::always_inline]] static inline

struct four_of_64 {
  using integer = std::int64_t;
  using vector = __m256i;
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

struct eight_of_32 {
  using integer = std::int32_t;
  using vector = __m256i;
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

// A comparison of 64-bit lanes into a mask, and two blends by it, take less than a minimum and a maximum.
struct eight_of_64 {
  using integer = std::int64_t;
  using vector = __m512i;
  static constexpr std::size_t count = 8;

  RAMIE_AVX512 void order(__m512i& low, __m512i& high) {
    const __mmask8 swap = _mm512_cmpgt_epi64_mask(low, high);
    const __m512i less = _mm512_mask_blend_epi64(swap, low, high);
    high = _mm512_mask_blend_epi64(swap, high, low);
    low = less;
  }

  // (__builtin_shufflevector: of the intrinsics gcc 12 says that they read what is not initialized, PR 105593.)
  RAMIE_AVX512 __m512i pair_low(__m512i a, __m512i b) {
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  }
  RAMIE_AVX512 __m512i pair_high(__m512i a, __m512i b) {
    return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  RAMIE_AVX512 __m512i even_pairs(__m512i a, __m512i b) {
    return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
  }
  RAMIE_AVX512 __m512i odd_pairs(__m512i a, __m512i b) {
    return __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
  }
  RAMIE_AVX512 void transpose(__m512i* rows) {
    __m512i pairs[8];
    for (std::size_t i = 0; i < 8; i += 2) {
      pairs[i] = pair_low(rows[i], rows[i + 1]);
      pairs[i + 1] = pair_high(rows[i], rows[i + 1]);
    }
    __m512i fours[8];
    for (std::size_t i = 0; i < 8; i += 4) {
      for (std::size_t j = i; j < i + 2; ++j) {
        fours[j] = even_pairs(pairs[j], pairs[j + 2]);
        fours[j + 2] = odd_pairs(pairs[j], pairs[j + 2]);
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      rows[i] = even_pairs(fours[i], fours[i + 4]);
      rows[i + 4] = odd_pairs(fours[i], fours[i + 4]);
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

// Sorts Lanes::count windows that follow one another, from `from` to `to`, which may be the same. Once for each set of
// instructions, since a function has only one: RAMIE_SORT_GROUP(name of the set, how to load, how to store).
#define RAMIE_SORT_GROUP(instructions, load, store)                                                                 \
  template <class Lanes, std::size_t... Step>                                                                       \
  [[gnu::target(instructions), gnu::always_inline]] inline void compare_all(typename Lanes::vector* rows,           \
                                                                            std::index_sequence<Step...>) {         \
    (Lanes::order(rows[network[Step][0]], rows[network[Step][1]]), ...);                                            \
  }                                                                                                                 \
  template <class Lanes>                                                                                            \
  [[gnu::target(instructions), gnu::noinline]] void sort_group(const typename Lanes::integer* from,                 \
                                                               typename Lanes::integer* to) {                       \
    constexpr std::size_t length = windows<typename Lanes::integer>::length;                                        \
    typename Lanes::vector rows[length];                                                                            \
    _Pragma("GCC unroll 16") for (std::size_t block = 0; block < length; block += Lanes::count) {                   \
      _Pragma("GCC unroll 16") for (std::size_t window = 0; window < Lanes::count; ++window) rows[block + window] = \
          load(from + length * window + block);                                                                     \
      Lanes::transpose(rows + block);                                                                               \
    }                                                                                                               \
    compare_all<Lanes>(rows, std::make_index_sequence<std::size(network)>());                                       \
    _Pragma("GCC unroll 16") for (std::size_t block = 0; block < length; block += Lanes::count) {                   \
      Lanes::transpose(rows + block);                                                                               \
      _Pragma("GCC unroll 16") for (std::size_t window = 0; window < Lanes::count; ++window)                        \
          store(to + length * window + block, rows[block + window]);                                                \
    }                                                                                                               \
  }

RAMIE_AVX2 __m256i load_256(const void* at) { return _mm256_loadu_si256(static_cast<const __m256i*>(at)); }
RAMIE_AVX2 void store_256(void* at, __m256i keys) { _mm256_storeu_si256(static_cast<__m256i*>(at), keys); }

namespace by_avx2 {
RAMIE_SORT_GROUP("avx2", load_256, store_256)
}
namespace by_avx512 {
RAMIE_SORT_GROUP("avx512f", _mm512_loadu_si512, _mm512_storeu_si512)
}

template <class Lanes>
void sort_windows(typename Lanes::integer* keys, std::size_t count, typename Lanes::integer* out,
                  void (*sort_group)(const typename Lanes::integer*, typename Lanes::integer*)) noexcept {
  using integer = typename Lanes::integer;
  using shape = windows<integer>;
  constexpr std::size_t group = shape::length * Lanes::count;
  static_assert(shape::padding >= 2 * group);
  std::fill_n(keys + count, shape::padding, std::numeric_limits<integer>::max());
  // The second pass follows the first one by a group.
  sort_group(keys, keys);
  std::copy_n(keys, std::min(count, shape::reach), out);
  for (std::size_t at = shape::reach; at < count; at += group) {
    sort_group(keys + (at + group - shape::reach), keys + (at + group - shape::reach));
    if (at + group <= count) {
      sort_group(keys + at, out + at);
    } else {
      sort_group(keys + at, keys + at);
      std::copy(keys + at, keys + count, out + at);
    }
  }
}

}  // namespace

#undef RAMIE_AVX2
#undef RAMIE_AVX512
#undef RAMIE_SORT_GROUP

bool has_window_sort() noexcept {
  static const bool has = __builtin_cpu_supports("avx2");
  return has && vector_instructions::avx2_allowed();
}

void window_sort(std::int32_t* keys, std::size_t count, std::int32_t* out) noexcept {
  sort_windows<eight_of_32>(keys, count, out, by_avx2::sort_group<eight_of_32>);
}
void window_sort(std::int64_t* keys, std::size_t count, std::int64_t* out) noexcept {
  static const bool has_avx512 = __builtin_cpu_supports("avx512f");
  if (has_avx512 && vector_instructions::avx512_allowed()) {
    sort_windows<eight_of_64>(keys, count, out, by_avx512::sort_group<eight_of_64>);
  } else {
    sort_windows<four_of_64>(keys, count, out, by_avx2::sort_group<four_of_64>);
  }
}

}  // namespace ramie::detail::sorting
