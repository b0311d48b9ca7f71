/* A fork/join thread pool with one lock and one list a worker, one of each for the pool, and two condition variables:
 * the pool that students of a course on computer systems write, as one of them has described it with its
 * optimizations. Each of these is a switch. `ramie bench ablation` measures them; nothing else should want this pool.
 *
 *     struct locked_pool_options options = {0};
 *     options.nthreads = 4;
 *     options.padding = true;
 *     struct locked_pool* pool = locked_pool_new(&options);
 *
 * The functions promise what those of <ramie/c/threadpool.h> promise, and it is said there. */
#ifndef BENCH_ABLATION_LOCKED_POOL_H
#define BENCH_ABLATION_LOCKED_POOL_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct locked_pool;
struct locked_future;

typedef void* (*locked_pool_task_t)(struct locked_pool* pool, void* data);

enum locked_future_layout {
  LOCKED_FUTURE_PLAIN = 0,          /* a field for everything */
  LOCKED_FUTURE_STATUS_BITS = 1,    /* the flags and the thief's number in one word */
  LOCKED_FUTURE_RESULT_IN_DATA = 2, /* one field for the argument and the result */
  LOCKED_FUTURE_WITHOUT_POOL = 3,   /* the worker knows the pool */
  LOCKED_FUTURE_FUTEX = 4           /* an atomic status that is waited for: no pointers to lock and condition */
};

/* All 0 but nthreads: the pool without its optimizations. */
struct locked_pool_options {
  int nthreads;        /* exactly so many kernel threads, 1 to 4,096 */
  bool pin;            /* worker i stays on the i-th CPU that the process may use, round and round */
  bool const_fields;   /* a worker's pool and number are const */
  bool delayed_sleep;  /* a worker sleeps after 100 looks in vain (beyond 64 workers fewer), not the first */
  bool padding;        /* workers share no cache line */
  bool fewer_locks;    /* a task's end is published by a fence, not under the lock */
  bool unsigned_ids;   /* the thief's number has no sign */
  bool unsafe_reads;   /* a worker that waits for a stolen task looks at it without the lock */
  bool reuse_futures;  /* each worker keeps freed futures for itself, instead of malloc */
  bool keep_heap;      /* mallopt(M_TRIM_THRESHOLD, -1), for the whole process and for good */
  unsigned push_limit; /* a worker that has as many tasks queued runs the next one at once; 0: no limit */
  int future_layout;   /* one of enum locked_future_layout */
};

/* NULL, and errno says why: EINVAL (options is NULL, or nthreads or future_layout is out of its range), ENOMEM,
 * EAGAIN. */
struct locked_pool* locked_pool_new(const struct locked_pool_options* options);
void locked_pool_shutdown_and_destroy(struct locked_pool* pool);
struct locked_future* locked_pool_submit(struct locked_pool* pool, locked_pool_task_t task, void* data);
void* locked_future_get(struct locked_future* awaited);
void locked_future_free(struct locked_future* no_longer_wanted);

#ifdef __cplusplus
}
#endif

#endif
