// The functions of threadpool.h and threadpool_options.h: what they are given is checked here, and goes to its engine.
#include <ramie/c/threadpool_options.h>

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>

#include "c/error.hpp"
#include "c/extensible.hpp"
#include "c/pool/helping_pool.hpp"

#include <cerrno>
#include <cstring>

namespace pools = ramie::pool;

namespace {

constexpr int most_threads = 4096;

constexpr const char* the_pool = "the pool. Give what thread_pool_new returned; check that.";
constexpr const char* the_task = "the task. Give a function.";
constexpr const char* the_future = "the future. Give what thread_pool_submit returned; check that.";

// The struct in the first version that had it.
constexpr std::size_t first_options = 16;
static_assert(sizeof(thread_pool_options) == first_options);

bool is_valid(const thread_pool_options& o) { return o.nthreads >= 1 && o.nthreads <= most_threads; }

}  // namespace

thread_pool* thread_pool_new(int nthreads) {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.nthreads = nthreads;
  return thread_pool_new_with(&chosen);
}

thread_pool* thread_pool_new_with(const thread_pool_options* options) {
  try {
    ramie::c::expect(options, "thread_pool_new_with", "the options. Give THREAD_POOL_OPTIONS_INIT with nthreads set.");
    const auto chosen = ramie::c::read_extensible<thread_pool_options>("thread_pool_options", options,
                                                                       THREAD_POOL_OPTIONS_INIT, first_options);
    if (is_valid(chosen)) return pools::helping::make(chosen);
  } catch (...) {
    static_cast<void>(ramie::c::failed());
  }
  errno = EINVAL;
  return nullptr;
}

void thread_pool_shutdown_and_destroy(thread_pool* pool) {
  if (pool == nullptr) return;
  // A task that has called exit() does not return to those that may wait for it.
  ramie::detail::go_on_with_exit();
  if (pool->engine != nullptr) return pool->engine->destroy(*pool);
  pools::helping::destroy(*pool);
}

future* thread_pool_submit(thread_pool* pool, fork_join_task_t task, void* data) {
  ramie::c::require(pool, "thread_pool_submit", the_pool);
  thread_pool& to = *pool;
  ramie::c::require(reinterpret_cast<const void*>(task), "thread_pool_submit", the_task);
  if (to.engine != nullptr) [[unlikely]]
    return to.engine->submit(to, task, data);
  return pools::helping::submit(to, task, data);
}

void* future_get(future* awaited) {
  ramie::c::require(awaited, "future_get", the_future);
  future& of = *awaited;
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

void pools::fail_destroyed_by_task() {
  ramie::detail::fail("thread_pool_shutdown_and_destroy was called by a task of the pool, which it would wait for.",
                      "Call it from a thread that is no worker of the pool.");
}

void pools::fail_ended_thread() noexcept {
  ramie::detail::fail("a task of a thread pool ended its thread (pthread_exit, or pthread_cancel from elsewhere).",
                      "The thread belongs to the pool: return from the task.");
}

void pools::fail_waits_for_below() {
  ramie::detail::fail(
      "future_get was called for a task that cannot go on before the caller ends: it lies below it on the stack.",
      "Let a task wait only for tasks that it has submitted, and for those that these have submitted.");
}
