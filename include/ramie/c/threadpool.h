/* A fork/join thread pool for C and C++: tasks that submit tasks, and futures that help.
 *
 *     static void* sum(struct thread_pool* pool, void* data) {
 *       struct range* all = data;
 *       if (all->end - all->begin < 1000) return sum_plainly(all);
 *       struct range left = ..., right = ...;
 *       struct future* half = thread_pool_submit(pool, sum, &left);
 *       intptr_t of_right = (intptr_t)sum(pool, &right);
 *       intptr_t of_left = (intptr_t)future_get(half);
 *       future_free(half);
 *       return (void*)(of_left + of_right);
 *     }
 *
 * A task runs on the kernel thread of a worker, on that thread's own stack. A worker that waits in future_get helps: it
 * runs the task itself if nobody has begun it, and otherwise works for the worker that has begun it. So tasks that only
 * wait for tasks that they have submitted, or that were submitted by those, end on any number of workers. Others may
 * come to lie above the awaited task on the same stack; the process then ends with a sentence. A task may sleep, or
 * block in the kernel, and then its worker stands still as well.
 *
 * Programs for fibers, which may wait for anything without keeping a worker, want <ramie/c/ramie.h>.
 *
 * No function throws. A task in C++ that lets an exception escape ends the process, and so does one that ends its
 * thread (pthread_exit). NULL where a pool, a task or a future is wanted ends the process with a sentence on standard
 * error. Needs C99. */
#ifndef RAMIE_C_THREADPOOL_H
#define RAMIE_C_THREADPOOL_H

#ifdef __cplusplus
extern "C" {
#endif

struct thread_pool;
struct future;

/* The function of a task. `data` comes from thread_pool_submit; future_get returns the result. */
typedef void* (*fork_join_task_t)(struct thread_pool* pool, void* data);

/* A pool of exactly `nthreads` kernel threads, at most 4,096. They sleep while there is nothing to do.
 *
 * NULL, and errno says why:
 *   EINVAL  nthreads is less than 1 or more than 4,096
 *   ENOMEM  no memory
 *   EAGAIN  the system starts no more threads (ulimit -u, cgroup pids.max)
 *
 * Any thread. Any number of pools may exist. A child process made by fork() has no pool: it may call nothing here. */
struct thread_pool* thread_pool_new(int nthreads);

/* Waits until all submitted tasks have run, those that tasks submit meanwhile included, then ends the threads and frees
 * the pool. Its futures stay: they are still to be got, if wanted, and freed.
 *
 * Once, by a thread that is no worker of this pool (ends the process otherwise, with a sentence), when no other thread
 * submits to it any more. NULL: does nothing. Within exit() that a task or a fiber has called it waits for nothing: the
 * process ends with that status. */
void thread_pool_shutdown_and_destroy(struct thread_pool* pool);

/* Hands task(pool, data) to the pool and returns at once. The task sees everything written before the call.
 *
 * Any thread, a worker of this pool or not. About 5 ns in a worker; through a lock from outside. NULL, and errno is
 * ENOMEM: no memory, and the task will not run. */
struct future* thread_pool_submit(struct thread_pool* pool, fork_join_task_t task, void* data);

/* The task's result, when it has returned. The caller sees everything that the task wrote.
 *
 * Any thread, any number of times and threads, also after the pool is gone. A worker of the pool helps meanwhile; with
 * nothing to help with it sleeps after some 30 us (spin_ns in threadpool_options.h). Any other thread sleeps; with a
 * fiber its worker does. */
void* future_get(struct future* awaited);

/* Frees the future, not the memory that its result points to. Any thread, once, when no thread is in future_get for it
 * or will be. Before the task has returned it means that nobody wants the result; the task runs all the same. NULL:
 * does nothing. */
void future_free(struct future* no_longer_wanted);

#ifdef __cplusplus
}
#endif

#endif
