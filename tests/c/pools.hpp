// What the tests of thread pools share.
#pragma once

#include <ramie/c/threadpool_options.h>

#include <memory>

namespace ramie::test {

struct pool_end {
  void operator()(thread_pool* pool) const { thread_pool_shutdown_and_destroy(pool); }
};
using owned_pool = std::unique_ptr<thread_pool, pool_end>;

inline owned_pool pool_of(thread_pool_options chosen, int threads) {
  chosen.nthreads = threads;
  return owned_pool(thread_pool_new_with(&chosen));
}

inline void* get_and_free(future* awaited) {
  void* const result = future_get(awaited);
  future_free(awaited);
  return result;
}

}  // namespace ramie::test
