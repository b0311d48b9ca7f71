// The functions of threadpool.h and threadpool_options.h: what they are given is checked here, and goes to its engine.
#include <ramie/c/threadpool_options.h>

#include <ramie/base/assert.hpp>

#include "c/pool/helping_pool.hpp"

#include <cerrno>
#include <cstring>

namespace pools = ramie::pool;

namespace {

constexpr int most_threads = 4096;

template <class Given>
Given& require(Given* given, const char* function, const char* what) {
  if (given == nullptr) [[unlikely]]
    ramie::detail::fail(function, what);
  return *given;
}

constexpr const char* no_pool = "was given NULL as the pool. Give what thread_pool_new returned; check that.";
constexpr const char* no_task = "was given NULL as the task. Give a function.";
constexpr const char* no_future = "was given NULL as the future. Give what thread_pool_submit returned; check that.";

bool is_valid(const thread_pool_options& o) {
  if (o.nthreads < 1 || o.nthreads > most_threads) return false;
  if (o.future_layout < THREAD_POOL_FUTURE_PLAIN || o.future_layout > THREAD_POOL_FUTURE_FUTEX) return false;
  if (o.engine == THREAD_POOL_LOCKED) return true;
  const bool switched = o.const_fields || o.delayed_sleep || o.padding || o.fewer_locks || o.unsigned_ids ||
                        o.unsafe_reads || o.reuse_futures || o.keep_heap || o.push_limit != 0 ||
                        o.future_layout != THREAD_POOL_FUTURE_PLAIN;
  return o.engine == THREAD_POOL_RAMIE && !switched;
}

}  // namespace

thread_pool* thread_pool_new(int nthreads) {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.nthreads = nthreads;
  return thread_pool_new_with(&chosen);
}

thread_pool* thread_pool_new_with(const thread_pool_options* options) {
  // Other sizes come with other versions of the header: there is one so far.
  if (options == nullptr || options->size != sizeof(thread_pool_options) || !is_valid(*options)) {
    errno = EINVAL;
    return nullptr;
  }
  if (options->engine == THREAD_POOL_LOCKED) return pools::locked_engine(*options).make(*options);
  return pools::helping::make(*options);
}

void thread_pool_shutdown_and_destroy(thread_pool* pool) {
  if (pool == nullptr) return;
  if (pool->engine != nullptr) return pool->engine->destroy(*pool);
  pools::helping::destroy(*pool);
}

future* thread_pool_submit(thread_pool* pool, fork_join_task_t task, void* data) {
  thread_pool& to = require(pool, "thread_pool_submit", no_pool);
  static_cast<void>(require(task, "thread_pool_submit", no_task));
  if (to.engine != nullptr) [[unlikely]]
    return to.engine->submit(to, task, data);
  return pools::helping::submit(to, task, data);
}

void* future_get(future* awaited) {
  future& of = require(awaited, "future_get", no_future);
  if (of.engine != nullptr) [[unlikely]]
    return of.engine->get(of);
  return pools::helping::get(of);
}

void future_free(future* no_longer_wanted) {
  if (no_longer_wanted == nullptr) return;
  if (no_longer_wanted->engine != nullptr) [[unlikely]]
    return no_longer_wanted->engine->free(*no_longer_wanted);
  pools::helping::free(*no_longer_wanted);
}
