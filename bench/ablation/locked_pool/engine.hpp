// The functions behind locked_pool.h. A pool and its futures begin with a pointer to the functions of their engine: one
// of twenty, each with other switches compiled in.
#pragma once

#include <cxxabi.h>
#include <exception>

#include "ablation/locked_pool/locked_pool.h"

namespace bench::locked {

struct engine_functions {
  locked_pool* (*make)(const locked_pool_options& chosen);  // valid ones; null: errno says why
  void (*destroy)(locked_pool& ended);
  locked_future* (*submit)(locked_pool& to, locked_pool_task_t task, void* data);  // null: errno says why
  void* (*get)(locked_future& awaited);
  void (*free)(locked_future& unwanted);
};

// Misuse that only the engines see.
[[noreturn]] void fail_destroyed_by_task();
[[noreturn]] void fail_waits_for_below();
[[noreturn]] void fail_ended_thread() noexcept;

/// Calls a task, whose end by other means than a return is that of the process. pthread_exit and pthread_cancel unwind
/// the stack, other tasks among what lies there.
inline void* call(locked_pool_task_t task, locked_pool* pool, void* data) noexcept {
  try {
    return task(pool, data);
  } catch (const abi::__forced_unwind&) {
    fail_ended_thread();
  } catch (...) {
    std::terminate();  // which says what it was
  }
}

}  // namespace bench::locked

struct locked_pool {
  const bench::locked::engine_functions* engine;
};

struct locked_future {
  const bench::locked::engine_functions* engine;
};
