// The functions of threadpool.h and threadpool_options.h.
#include <ramie/c/threadpool_options.h>

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>

#include "c/error.hpp"
#include "c/extensible.hpp"
#include "c/pool/call.hpp"
#include "c/pool/pool.hpp"

#include <cerrno>
#include <memory>
#include <new>

namespace pools = ramie::pool;

namespace {

using pools::task_future;
using pools::worker;

constexpr int most_threads = 4096;

constexpr const char* the_pool = "the pool. Give what thread_pool_new returned; check that.";
constexpr const char* the_task = "the task. Give a function.";
constexpr const char* the_future = "the future. Give what thread_pool_submit returned; check that.";

// The struct in the first version that had it.
constexpr std::size_t first_options = 24;
static_assert(sizeof(thread_pool_options) == first_options);

bool is_valid(const thread_pool_options& o) {
  return o.nthreads >= 1 && o.nthreads <= most_threads && o.spin_ns >= pools::usual_spin;
}

// Null, and errno says why.
thread_pool* make(const thread_pool_options& valid) {
  try {
    auto made = std::make_unique<pools::pool>(valid);
    const int error = made->start();
    if (error == 0) return made.release();
    errno = error;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return nullptr;
}

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
    if (is_valid(chosen)) return make(chosen);
  } catch (...) {
    static_cast<void>(ramie::c::failed());
  }
  errno = EINVAL;
  return nullptr;
}

void thread_pool_shutdown_and_destroy(thread_pool* pool) {
  if (pool == nullptr) return;
  // A task that has called exit() does not return to those that may wait for it.
  ramie::detail::continue_exit();
  const std::unique_ptr<pools::pool> last(static_cast<pools::pool*>(pool));
  if (const worker* const here = worker::current(); here != nullptr && &here->home() == last.get()) {
    ramie::detail::fail("thread_pool_shutdown_and_destroy was called by a task of the pool, which it would wait for.",
                        "Call it from a thread that is no worker of the pool.");
  }
  last->stop();
}

future* thread_pool_submit(thread_pool* pool, fork_join_task_t task, void* data) {
  ramie::c::require(pool, "thread_pool_submit", the_pool);
  ramie::c::require(reinterpret_cast<const void*>(task), "thread_pool_submit", the_task);
  auto& home = static_cast<pools::pool&>(*pool);
  worker* here = worker::current();
  if (here != nullptr && &here->home() != &home) [[unlikely]]
    here = nullptr;
  void* memory = here != nullptr ? here->take_memory() : nullptr;
  if (memory == nullptr) [[unlikely]]
    memory = ::operator new(sizeof(task_future), std::align_val_t{ramie::cache_line_size}, std::nothrow);
  if (memory == nullptr) [[unlikely]] {
    errno = ENOMEM;
    return nullptr;
  }
  auto* const made = new (memory) task_future(home, task, data);
  if (here == nullptr) {
    home.submit_from_outside(*made);
  } else if (!here->submit(*made)) [[unlikely]] {
    recycle(*made);
    errno = ENOMEM;
    return nullptr;
  }
  return made;
}

void* future_get(future* awaited) {
  ramie::c::require(awaited, "future_get", the_future);
  auto& mine = static_cast<task_future&>(*awaited);
  if (!mine.end.has_ended()) {
    worker* const here = worker::current();
    if (here != nullptr && &here->home() == &mine.home) [[likely]] {
      here->help_until_ended(mine);
    } else {
      pools::waiter<worker> outside(nullptr);
      if (mine.end.add(outside)) outside.park();
    }
  }
  return mine.data;
}

void future_free(future* no_longer_wanted) {
  if (no_longer_wanted == nullptr) return;
  auto& mine = static_cast<task_future&>(*no_longer_wanted);
  if (mine.end.has_ended() || !mine.end.abandon()) give_up(mine);
}

void ramie::pool::fail_ended_thread() noexcept {
  ramie::detail::fail("a task of a thread pool ended its thread (pthread_exit, or pthread_cancel from elsewhere).",
                      "The thread belongs to the pool: return from the task.");
}

void ramie::pool::fail_waits_for_below() {
  ramie::detail::fail(
      "future_get was called for a task that cannot go on before the caller ends: it lies below it on the stack.",
      "Let a task wait only for tasks that it has submitted, and for those that these have submitted.");
}
