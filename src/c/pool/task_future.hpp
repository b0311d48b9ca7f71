// A task and its result, in one cache line.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/c/threadpool.h>

#include "c/pool/begin_word.hpp"
#include "c/pool/end_word.hpp"
#include "c/pool/waiter.hpp"

/// The type that C has pointers to; each is a task_future.
struct future {};

namespace ramie::pool {

class worker;
class pool;

struct alignas(cache_line_size) task_future : ::future {
  task_future(pool& of, fork_join_task_t runs, void* argument) : task(runs), data(argument), home(of) {}

  const fork_join_task_t task;
  void* data;                   // the task's argument, then its result
  pool& home;                   // while the task has not ended
  task_future* next = nullptr;  // in the pool's own queue
  end_word<waiter<worker>> end;
  begin_word<> begin;
};
static_assert(sizeof(task_future) == cache_line_size);

/// When the task has ended, once: frees it, or leaves that to the worker that takes its entry out of a queue.
void give_up(task_future& ended);
/// To the calling worker, if it is one, or to the system.
void recycle(task_future& unused);
void free_memory(task_future& unused);

}  // namespace ramie::pool
