// The thread pool of ramie/c/threadpool.h, for the cases of thread_pool_cases.hpp.
#pragma once

#include <ramie/c/threadpool_options.h>

#include <array>
#include <memory>

#include "c/pool_programs.h"

namespace ramie::test::subject {

using pool = ::thread_pool;
using future = ::future;

inline constexpr auto* submit = thread_pool_submit;
inline constexpr auto* get = future_get;
inline constexpr auto* release = future_free;
inline constexpr auto* end = thread_pool_shutdown_and_destroy;

struct pool_end {
  void operator()(pool* ended) const { end(ended); }
};
using owned_pool = std::unique_ptr<pool, pool_end>;

inline owned_pool make(int threads) { return owned_pool(thread_pool_new(threads)); }
inline owned_pool make_pinned() {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.pin = true;
  return owned_pool(thread_pool_new_with(&chosen));
}

inline void* get_and_free(future* awaited) {
  void* const result = get(awaited);
  release(awaited);
  return result;
}

inline constexpr const auto& programs = pool_programs;

}  // namespace ramie::test::subject
