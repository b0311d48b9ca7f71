// How a task is called, and what the pool says of misuse.
#pragma once

#include <ramie/c/threadpool.h>

#include <cxxabi.h>
#include <exception>

namespace ramie::pool {

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
