/* The runtime of ramie for C, and for any language that can call C: fibers, fork and join, counters. Needs C99.
 *
 *     static void* greet(void* name) {
 *       printf("hello from %s\n", (const char*)name);
 *       return NULL;
 *     }
 *     static void* first(void* unused) {
 *       ramie_fiber* fiber;
 *       (void)unused;
 *       if (ramie_spawn(&fiber, NULL, greet, "a fiber") == RAMIE_OK) ramie_join(fiber, NULL);
 *       return NULL;
 *     }
 *     int main(void) { return ramie_run(NULL, first, NULL, NULL); }
 *
 * A fiber is a function that may wait: a fiber that waits gives its kernel thread to another fiber meanwhile, and may
 * go on on another thread. So errno, thread_local variables and what ramie_last_error() returns do not survive a call
 * that may wait.
 *
 * A function that may fail returns RAMIE_OK (0) or another enum ramie_error. After an error its results are as they
 * were. No C++ exception leaves a function of this header. NULL for an object is RAMIE_ERROR_ARGUMENT where a function
 * returns such a code, and ends the process with a sentence on standard error where it does not. An object that was
 * freed, joined or detached must not be given to any function again. docs/c.md has more. */
#ifndef RAMIE_C_RAMIE_H
#define RAMIE_C_RAMIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---- */

#define RAMIE_VERSION_MAJOR 0
#define RAMIE_VERSION_MINOR 1
#define RAMIE_VERSION_PATCH 0
/* Major, minor and patch as one number that can be compared: 1002003 is 1.2.3. */
#define RAMIE_VERSION (RAMIE_VERSION_MAJOR * 1000000 + RAMIE_VERSION_MINOR * 1000 + RAMIE_VERSION_PATCH)

/* RAMIE_VERSION of the library that runs, which may be newer than the header. Any thread. */
int ramie_version(void);

/* ---- Errors ---- */

/* The numbers stay: none is ever given another meaning. Later versions may add some. */
typedef enum ramie_error {
  RAMIE_OK = 0,
  RAMIE_ERROR_ARGUMENT = 1,       /* NULL where something is needed, or a number out of its range */
  RAMIE_ERROR_OPTION = 2,         /* an option has a value that cannot work */
  RAMIE_ERROR_UNKNOWN_OPTION = 3, /* an option or a flag is set that this version of the library does not know */
  RAMIE_ERROR_MEMORY = 4,         /* no memory */
  RAMIE_ERROR_STACK = 5,          /* no stack for a fiber: its function was not called */
  RAMIE_ERROR_THREAD = 6,         /* a kernel thread could not be started */
  RAMIE_ERROR_MISUSE = 7,         /* called where the rules forbid it: by a thread that is no fiber, for example */
  RAMIE_ERROR_EXCEPTION = 8       /* a C++ exception left the function that was called */
} ramie_error;

/* The meaning of an error, in a few words: a constant, never NULL, also for numbers that are no error. Any thread. */
const char* ramie_strerror(int error);

/* A sentence about the call that failed last on this kernel thread: what was wrong, and what to do about it; with
 * RAMIE_ERROR_EXCEPTION the exception's what(). At most 1,023 bytes; "" if none has failed. Never NULL. Any thread.
 *
 * The text belongs to the kernel thread, and lasts until another call fails there. So a fiber must read it before it
 * calls anything that may wait: afterwards it may be on another thread, and the text about another fiber's failure. */
const char* ramie_last_error(void);

/* ---- Options ---- */

/* How options grow: `size` comes first and says how long the caller's struct is. Later versions of this header add
 * fields at the end, for which 0 is the default. A library takes the shorter struct of an older program; and the longer
 * one of a newer program, if the fields that it does not know are 0 (RAMIE_ERROR_UNKNOWN_OPTION otherwise). As
 * clone3(2) does. */

/* For ramie_options.flags, any of them. */
enum {
  RAMIE_PIN = 1,                 /* worker i stays on the i-th CPU that the process may use */
  RAMIE_STEAL_CONTINUATIONS = 2, /* ramie_fork_join begins its first function as a fiber; others may take the rest of
                                    the caller */
  RAMIE_UNGUARDED_STACKS = 4     /* fibers may run without a guard where no more guards can be had */
};

typedef struct ramie_options {
  size_t size;            /* sizeof(ramie_options) */
  unsigned workers;       /* kernel threads that run fibers, at most 4,096; 0: what CPU affinity and cgroup allow */
  unsigned flags;         /* RAMIE_PIN and its like */
  size_t stack_size;      /* address space of a fiber's stack in bytes; 0: 256 KiB. Memory is used as it is touched. */
  size_t retained_stacks; /* stacks of finished fibers that keep their memory; 0: as a quarter of the memory holds */
  uint64_t seed;          /* of the order in which workers try each other */
  int64_t spin_ns;        /* how long a worker looks for work before it sleeps, in ns; -1: about 30 us */
  const char* queue;      /* of the workers: a name as ramie_queue_new takes it; NULL: "split" */
  const char* victim;     /* in which order workers try each other: "sequential", "random", "random_start",
                             "last_victim", "two_random", "hierarchical", "probabilistic"; NULL: "random_start" */
  const char* profile;    /* a file for a page about work and span; NULL or "": the environment's RAMIE_PROFILE */
  size_t guard_size;      /* of each stack's lower end, in bytes, which may not be touched: larger frames may step over
                             it; 0: 40 KiB, or a quarter of a smaller stack */
} ramie_options;

/* Everything as it is by itself:  ramie_options options = RAMIE_OPTIONS_INIT;  options.workers = 4; */
#define RAMIE_OPTIONS_INIT {sizeof(ramie_options), 0, 0, 0, 0, 1, -1, NULL, NULL, NULL, 0}

typedef struct ramie_spawn_options {
  size_t size;       /* sizeof(ramie_spawn_options) */
  const char* name;  /* for messages and debuggers; copied; NULL: none */
  size_t stack_size; /* in bytes, rounded up to a power of two; 0: that of the runtime */
} ramie_spawn_options;

#define RAMIE_SPAWN_OPTIONS_INIT {sizeof(ramie_spawn_options), NULL, 0}

/* ---- Runtimes ---- */

/* A set of workers, and the fibers that run on them. Several may live in a process. */
typedef struct ramie_runtime ramie_runtime;

/* The handle of a fiber: the right, and the duty, to join or detach it, once. */
typedef struct ramie_fiber ramie_fiber;

/* The function of a fiber. An exception that leaves it is kept for the join, see there. */
typedef void* (*ramie_function)(void* argument);

/* Makes a runtime, runs function(argument) as its first fiber, on the calling thread and as many more as the options
 * say, and returns when all fibers have ended. `options` NULL: RAMIE_OPTIONS_INIT. `result` NULL: nobody wants it.
 *
 * Any thread that runs no fiber (RAMIE_ERROR_MISUSE); blocks it. Errors: those of ramie_runtime_new, ramie_runtime_run
 * and ramie_join. */
int ramie_run(const ramie_options* options, ramie_function function, void* argument, void** result);

/* Makes a runtime that does not run yet. Any thread; blocks nothing.
 * Errors: ARGUMENT, OPTION, UNKNOWN_OPTION, MEMORY, STACK. */
int ramie_runtime_new(const ramie_options* options, ramie_runtime** made);

/* Stops it as ramie_runtime_stop, and drops fibers that were spawned and never ran. NULL: does nothing. When no handle
 * of its fibers is left and nobody else uses it; not by one of its fibers. Otherwise the process ends with a sentence.
 * */
void ramie_runtime_free(ramie_runtime* runtime);

/* start, stop and run are called by one thread at a time, and start and run not by a fiber (MISUSE). */

/* Starts all workers on threads of their own and returns. Errors: ARGUMENT, MEMORY, THREAD (nothing runs then), MISUSE:
 * it runs already. */
int ramie_runtime_start(ramie_runtime* runtime);

/* Waits until no fiber is left, those included that are spawned meanwhile, and ends the threads. It may be started
 * again. Not by a fiber of this runtime (MISUSE). Blocks the thread. Errors: ARGUMENT, MISUSE. */
int ramie_runtime_stop(ramie_runtime* runtime);

/* Runs the spawned fibers, on the calling thread and workers - 1 more, until no fiber is left. Blocks the thread.
 * Errors: those of ramie_runtime_start. */
int ramie_runtime_run(ramie_runtime* runtime);

/* How many workers it has. Any thread. */
unsigned ramie_runtime_worker_count(const ramie_runtime* runtime);

/* ---- Fibers ---- */

/* Starts function(argument) as a fiber of the calling fiber's runtime. It begins some time later, perhaps on another
 * worker, perhaps before *fiber is written. `fiber` NULL: it is detached, see ramie_detach. `options` NULL:
 * RAMIE_SPAWN_OPTIONS_INIT, and the way without a look at them. Costs as much as ramie::spawn, and a call; the handle
 * is the fiber's task itself and costs nothing.
 *
 * From a fiber; blocks nothing. Elsewhere MISUSE, unless a C++ part of the program called scheduler_init().
 * Errors: ARGUMENT, OPTION, UNKNOWN_OPTION, MEMORY, MISUSE. A stack is taken when the fiber begins; if there is none,
 * the join says so. */
int ramie_spawn(ramie_fiber** fiber, const ramie_spawn_options* options, ramie_function function, void* argument);

/* The same of the given runtime, before it runs as well as while it does. Any thread, any fiber. */
int ramie_runtime_spawn(ramie_runtime* runtime, ramie_fiber** fiber, const ramie_spawn_options* options,
                        ramie_function function, void* argument);

/* Waits until the fiber has ended, and stores the result of its function (`result` NULL: nobody wants it). The handle
 * is gone afterwards, unless the error is ARGUMENT or MISUSE. Everything that the fiber did is visible.
 *
 * Any fiber of any runtime: blocks it, not its worker. Any thread: blocks the thread. Errors: ARGUMENT; STACK: the
 * function was not called; EXCEPTION: it ended with one (a ramie::spawn_error that leaves it is STACK too); MISUSE: a
 * fiber joined itself, or a child made by fork() one of its parent's. */
int ramie_join(ramie_fiber* fiber, void** result);

/* Gives up handle and result. An exception that leaves a detached fiber ends the process with the fiber's name, and so
 * does a stack that cannot be had when it begins. Any thread or fiber; blocks nothing. Errors: ARGUMENT. */
int ramie_detach(ramie_fiber* fiber);

/* Whether a join would return at once. Any thread or fiber; false may be outdated by the time it returns. */
bool ramie_fiber_done(const ramie_fiber* fiber);
/* Unique within the runtime, never 0. */
uint64_t ramie_fiber_id(const ramie_fiber* fiber);
/* The name it was spawned with, or ""; as long as the handle lives. */
const char* ramie_fiber_name(const ramie_fiber* fiber);

/* Lets other fibers run; returns when this one's turn comes again, perhaps on another worker. From a fiber: MISUSE
 * elsewhere. */
int ramie_yield(void);

/* Of the calling fiber; on a thread that runs none 0, NULL and -1. */
uint64_t ramie_this_fiber_id(void);
/* "" if it has none; as long as the fiber runs. */
const char* ramie_this_fiber_name(void);
/* The index of the worker that it runs on, from 0; after anything that may wait it can be another. */
int ramie_this_fiber_worker(void);

/* Calls both functions, perhaps at the same time, and returns when both have returned. The caller runs the first one
 * itself, and the second unless another worker has taken it. They may do what fibers may, also fork again; they must
 * not rely on running at the same time. A results' pointer may be NULL.
 *
 * From a fiber (MISUSE elsewhere): blocks it, not its worker, and only where the second function was taken. Costs as
 * much as ramie::fork_join, a call, and calls through pointers; allocates nothing. Errors: ARGUMENT, MISUSE; EXCEPTION
 * and STACK: of the first of the two that ended with one, when both have been called. */
int ramie_fork_join(ramie_function first, void* first_argument, void** first_result, ramie_function second,
                    void* second_argument, void** second_result);

/* ---- Counters ---- */

/* A count that anyone may change and wait for. It stays between 0 and RAMIE_COUNTER_MAX; the process ends with a
 * sentence if it leaves them. */
typedef struct ramie_counter ramie_counter;

#define RAMIE_COUNTER_MAX ((INT64_C(1) << 60) - 1)

/* Any thread or fiber; blocks nothing. Errors: ARGUMENT (the count too), MEMORY. */
int ramie_counter_new(int64_t count, ramie_counter** made);

/* When nobody waits for it, or the process ends with a sentence. A waiter may free it as soon as its wait has returned,
 * if nobody else changes it any more. NULL: does nothing. */
void ramie_counter_free(ramie_counter* counter);

/* Any thread or fiber; blocks nothing. About 5 ns where nobody waits. */
void ramie_counter_add(ramie_counter* counter, int64_t amount);
void ramie_counter_decrement(ramie_counter* counter, int64_t amount);

/* A guess by the time it returns. Any thread or fiber. */
int64_t ramie_counter_value(const ramie_counter* counter);

/* Waits until the count has been at or below `target`. Everything done before the decrements is visible afterwards.
 * A fiber: blocks it, not its worker. Any other thread: blocks the thread. Errors: ARGUMENT, a target below 0 too;
 * MISUSE: in a child that a fiber made by fork(), before it has a runtime of its own. */
int ramie_counter_wait(ramie_counter* counter, int64_t target);

/* Adds one to the counter and starts function(argument) as a fiber that takes one off at its end. Nobody joins it, its
 * result is dropped, and for an exception the same is true as in ramie_detach. Where and with which errors: as
 * ramie_spawn. The counter is as it was if it fails. */
int ramie_spawn_with_counter(ramie_counter* counter, const ramie_spawn_options* options, ramie_function function,
                             void* argument);

#ifdef __cplusplus
}
#endif

#endif
