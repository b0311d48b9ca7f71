// What the functions of threadpool.h call. A pool and its futures begin with a pointer to the functions of their
// engine; null stands for ramie's own, whose fast paths are then called directly.
#pragma once

#include <ramie/c/threadpool_options.h>

#include <cxxabi.h>
#include <exception>

namespace ramie::pool {

struct engine {
  thread_pool* (*make)(const thread_pool_options& chosen);  // valid ones; null: errno says why
  void (*destroy)(thread_pool& ended);
  future* (*submit)(thread_pool& to, fork_join_task_t task, void* data);  // null: errno says why
  void* (*get)(future& awaited);
  void (*free)(future& unwanted);
};

// Misuse that only the engines see.
[[noreturn]] void fail_destroyed_by_task();
[[noreturn]] void fail_waits_for_below();
[[noreturn]] void fail_ended_thread() noexcept;

/// Calls a task, whose end by other means than a return is that of the process. pthread_exit and pthread_cancel unwind
/// the stack, other tasks among what lies there.
inline void* call(fork_join_task_t task, thread_pool* pool, void* data) noexcept {
  try {
    return task(pool, data);
  } catch (const abi::__forced_unwind&) {
    fail_ended_thread();
  } catch (...) {
    std::terminate();  // which says what it was
  }
}

}  // namespace ramie::pool

struct thread_pool {
  const ramie::pool::engine* engine;
};

struct future {
  const ramie::pool::engine* engine;
};
