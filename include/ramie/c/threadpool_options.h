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

#ifdef __cplusplus
extern "C" {
#endif

struct thread_pool_options {
  size_t size;  /* sizeof(struct thread_pool_options); an older program's is shorter */
  int nthreads; /* as thread_pool_new takes it */
  bool pin;     /* worker i stays on the i-th CPU that the process may use, round and round */
};

/* One thread, and everything as thread_pool_new has it. */
#define THREAD_POOL_OPTIONS_INIT {sizeof(struct thread_pool_options), 1, false}

/* As thread_pool_new. EINVAL also means: options is NULL, its size is none that this library knows, it sets what this
 * library does not know, or a value is out of its range. */
struct thread_pool* thread_pool_new_with(const struct thread_pool_options* options);

#ifdef __cplusplus
}
#endif

#endif
