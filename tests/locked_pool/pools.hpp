// The locked pool of the suite `ablation`, for the cases of c/thread_pool_cases.hpp.
#pragma once

#include <memory>

#include "ablation/locked_pool/locked_pool.h"
#include "locked_pool/programs.h"

namespace ramie::test::subject {

using pool = ::locked_pool;
using future = ::locked_future;

inline constexpr auto* submit = locked_pool_submit;
inline constexpr auto* get = locked_future_get;
inline constexpr auto* release = locked_future_free;
inline constexpr auto* end = locked_pool_shutdown_and_destroy;

struct pool_end {
  void operator()(pool* ended) const { end(ended); }
};
using owned_pool = std::unique_ptr<pool, pool_end>;

inline owned_pool pool_of(locked_pool_options chosen, int threads) {
  chosen.nthreads = threads;
  return owned_pool(locked_pool_new(&chosen));
}
inline owned_pool make(int threads) { return pool_of({}, threads); }
inline owned_pool make_pinned() {
  locked_pool_options chosen{};
  chosen.pin = true;
  return pool_of(chosen, 1);
}

inline void* get_and_free(future* awaited) {
  void* const result = get(awaited);
  release(awaited);
  return result;
}

inline constexpr const auto& programs = locked_pool_programs;

}  // namespace ramie::test::subject
