#include "parallel/vector_sort.hpp"

#include <ramie/parallel/sort/quicksort.hpp>

#include <atomic>
#include <functional>

#ifndef RAMIE_HIGHWAY
#define RAMIE_HIGHWAY 0
#endif
#if RAMIE_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace ramie::detail::sorting {
namespace {

// Relaxed, all: a test sets them before it sorts, and either answer is right.
constinit std::atomic<bool> use_highway{RAMIE_HIGHWAY != 0};
constinit std::atomic<bool> use_avx2{true};
constinit std::atomic<bool> use_avx512{true};

// Below it a quicksort of scalar code is no slower than the call.
[[maybe_unused]] constexpr std::size_t worth_a_call = 128;

template <class Integer>
void sort_with_or_without_highway(Integer* keys, std::size_t count) noexcept {
#if RAMIE_HIGHWAY
  if (count >= worth_a_call && use_highway.load(std::memory_order_relaxed)) {
    const hwy::Sorter sorter;
    return sorter(keys, count, hwy::SortAscending());
  }
#endif
  std::less<> less;
  quicksort<Integer*, std::less<>>(less).sort(keys, keys + count);
}

}  // namespace

void vector_sort(std::int16_t* keys, std::size_t count) noexcept { sort_with_or_without_highway(keys, count); }
void vector_sort(std::int32_t* keys, std::size_t count) noexcept { sort_with_or_without_highway(keys, count); }
void vector_sort(std::int64_t* keys, std::size_t count) noexcept { sort_with_or_without_highway(keys, count); }

bool vector_instructions::highway_allowed() noexcept { return use_highway.load(std::memory_order_relaxed); }
void vector_instructions::allow_highway(bool yes) noexcept {
  use_highway.store(yes && RAMIE_HIGHWAY != 0, std::memory_order_relaxed);
}
bool vector_instructions::avx2_allowed() noexcept { return use_avx2.load(std::memory_order_relaxed); }
void vector_instructions::allow_avx2(bool yes) noexcept { use_avx2.store(yes, std::memory_order_relaxed); }
bool vector_instructions::avx512_allowed() noexcept { return use_avx512.load(std::memory_order_relaxed); }
void vector_instructions::allow_avx512(bool yes) noexcept { use_avx512.store(yes, std::memory_order_relaxed); }

}  // namespace ramie::detail::sorting
