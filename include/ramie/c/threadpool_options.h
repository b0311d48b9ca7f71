/* Which engine a thread pool runs on, and with which of its optimizations: for `ramie bench ablation`, and for those
 * who want to see for themselves. Programs need thread_pool_new alone.
 *
 *     struct thread_pool_options options = THREAD_POOL_OPTIONS_INIT;
 *     options.nthreads = 4;
 *     options.engine = THREAD_POOL_LOCKED;
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

enum thread_pool_engine {
  /* ramie's own: a work-stealing deque a worker, no lock on the way of a task. What thread_pool_new takes. */
  THREAD_POOL_RAMIE = 0,
  /* One lock and one list a worker, one of each for the pool, two condition variables: the pool that students of a
   * course on computer systems write, as one of them has described it with its optimizations. */
  THREAD_POOL_LOCKED = 1
};

/* How the locked engine lays its futures out. */
enum thread_pool_future_layout {
  THREAD_POOL_FUTURE_PLAIN = 0,          /* a field for everything */
  THREAD_POOL_FUTURE_STATUS_BITS = 1,    /* the flags and the thief's number in one word */
  THREAD_POOL_FUTURE_RESULT_IN_DATA = 2, /* one field for the argument and the result */
  THREAD_POOL_FUTURE_WITHOUT_POOL = 3,   /* the worker knows the pool */
  THREAD_POOL_FUTURE_FUTEX = 4           /* an atomic status that is waited for: no pointers to lock and condition */
};

struct thread_pool_options {
  size_t size; /* sizeof(struct thread_pool_options); an older program's is shorter */
  int nthreads;
  int engine; /* one of enum thread_pool_engine */
  bool pin;   /* worker i stays on the i-th CPU that the process may use, round and round */

  /* The locked engine's. Set for the other engine they are refused: it has no use for them. */
  bool const_fields;   /* a worker's pool and number are const */
  bool delayed_sleep;  /* a worker sleeps after 100 looks in vain (beyond 64 workers fewer), not the first */
  bool padding;        /* workers share no cache line */
  bool fewer_locks;    /* a task's end is published by a fence, not under the lock */
  bool unsigned_ids;   /* the thief's number has no sign */
  bool unsafe_reads;   /* who waits for a stolen task looks at it without the lock */
  bool reuse_futures;  /* each worker keeps freed futures for itself, instead of malloc */
  bool keep_heap;      /* mallopt(M_TRIM_THRESHOLD, -1), for the whole process and for good */
  unsigned push_limit; /* a worker that has as many tasks queued runs the next one at once; 0: no limit */
  int future_layout;   /* one of enum thread_pool_future_layout */
};

/* clang-format off */
#define THREAD_POOL_OPTIONS_INIT \
  { sizeof(struct thread_pool_options), 1, THREAD_POOL_RAMIE, false, false, false, false, false, false, false, false, \
    false, 0, THREAD_POOL_FUTURE_PLAIN }
/* clang-format on */

/* As thread_pool_new. EINVAL also means: options is NULL, its size is none that this library knows, a value is out of
 * its range, or a switch is set that the engine does not have. */
struct thread_pool* thread_pool_new_with(const struct thread_pool_options* options);

#ifdef __cplusplus
}
#endif

#endif
