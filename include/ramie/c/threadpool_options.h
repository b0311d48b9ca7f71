/* A thread pool with options. Most programs need thread_pool_new alone.
 *
 *     struct thread_pool_options options = THREAD_POOL_OPTIONS_INIT;
 *     options.nthreads = 4;
 *     options.pin = true;
 *     struct thread_pool* pool = thread_pool_new_with(&options);
 */
#ifndef RAMIE_C_THREADPOOL_OPTIONS_H
#define RAMIE_C_THREADPOOL_OPTIONS_H

#include <ramie/c/threadpool.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct thread_pool_options {
  size_t size;     /* sizeof(struct thread_pool_options); an older program's is shorter */
  int nthreads;    /* as thread_pool_new takes it */
  bool pin;        /* worker i stays on the i-th CPU that the process may use, round and round */
  int64_t spin_ns; /* how long a worker that finds no task goes on looking before it sleeps, in ns; see below */
};

/* spin_ns: 0 to INT64_MAX, or -1. For idle workers, and for those in future_get that have nothing to help with.
 *
 *    0  They sleep at once: least CPU time, and a wake-up for the next task.
 *   -1  30 us, which is about what a wake-up costs; 0 where nthreads is more than the CPUs that the process may use.
 *       The value of thread_pool_new.
 *
 * Of idle workers half look at the same time, one at least; the others sleep at once. However long they look, no event
 * waits for them: a new task, the end of one, the end of the pool. */

/* One thread, and everything as thread_pool_new has it. */
#define THREAD_POOL_OPTIONS_INIT {sizeof(struct thread_pool_options), 1, false, -1}

/* As thread_pool_new. EINVAL also means: options is NULL, its size is none that this library knows, it sets what this
 * library does not know, or a value is out of its range (spin_ns: less than -1). */
struct thread_pool* thread_pool_new_with(const struct thread_pool_options* options);

#ifdef __cplusplus
}
#endif

#endif
