/* A runtime as C uses it: no ramie header but the C one. */
#include "drive_runtime.h"

#include <ramie/c/ramie.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { threads_outside = 3 };

int version_in_c(void) { return ramie_version() == RAMIE_VERSION ? RAMIE_VERSION : -1; }

static ramie_options with_workers(unsigned workers) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = workers;
  return options;
}

/* ---- Forks ---- */

static void* fib(void* argument) {
  const intptr_t n = (intptr_t)argument;
  void* left = NULL;
  void* right = NULL;
  if (n < 2) return argument;
  if (ramie_fork_join(fib, (void*)(n - 1), &left, fib, (void*)(n - 2), &right) != RAMIE_OK) abort();
  return (void*)((intptr_t)left + (intptr_t)right);
}

static intptr_t plain_fib(int n) { return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2); }

const char* drive_forks(unsigned workers, unsigned flags, int n) {
  ramie_options options = with_workers(workers);
  void* result = NULL;
  options.flags = flags;
  if (ramie_run(&options, fib, (void*)(intptr_t)n, &result) != RAMIE_OK) return ramie_last_error();
  return (intptr_t)result == plain_fib(n) ? NULL : "the forks have another result than the calls";
}

/* ---- Joins ---- */

static void* yield_and_return(void* argument) {
  const size_t own = (size_t)argument;
  for (size_t i = own % 4; i > 0; --i) {
    if (ramie_yield() != RAMIE_OK) return NULL;
  }
  return (void*)(own + 1);
}

static void* spawn_and_join(void* argument) {
  const size_t fibers = *(const size_t*)argument;
  ramie_fiber** const handles = calloc(fibers, sizeof(ramie_fiber*));
  const char* wrong = handles == NULL ? "no memory" : NULL;
  size_t spawned = 0;
  if (ramie_this_fiber_id() == 0) wrong = "a fiber without an id";
  if (strcmp(ramie_this_fiber_name(), "main") != 0) wrong = "the first fiber has another name";
  for (; wrong == NULL && spawned < fibers; ++spawned) {
    ramie_spawn_options options = RAMIE_SPAWN_OPTIONS_INIT;
    options.name = "numbered";
    const int error =
        ramie_spawn(&handles[spawned], spawned % 2 == 0 ? NULL : &options, yield_and_return, (void*)spawned);
    if (error != RAMIE_OK) wrong = ramie_strerror(error);
    if (error == RAMIE_OK && strcmp(ramie_fiber_name(handles[spawned]), spawned % 2 == 0 ? "" : "numbered") != 0)
      wrong = "a fiber has another name than it was given";
    if (error != RAMIE_OK) break;
  }
  while (spawned > 0) {
    void* result = NULL;
    if (ramie_fiber_id(handles[--spawned]) == 0) wrong = "a handle without an id";
    if (ramie_join(handles[spawned], &result) != RAMIE_OK) wrong = "a join failed";
    if (result != (void*)(spawned + 1)) wrong = "a join gave another fiber's result";
  }
  free(handles);
  return (void*)wrong;
}

const char* drive_joins(unsigned workers, size_t fibers) {
  const ramie_options options = with_workers(workers);
  void* wrong = NULL;
  if (ramie_run(&options, spawn_and_join, &fibers, &wrong) != RAMIE_OK) return ramie_last_error();
  return wrong;
}

/* ---- Counters ---- */

struct crowd {
  ramie_counter* left;
  size_t fibers;
  atomic_size_t ended;
  atomic_size_t at_half; /* how many had ended when the half of them was waited for */
};

static void* be_one_of_a_crowd(void* argument) {
  struct crowd* const crowd = argument;
  ramie_yield();
  atomic_fetch_add(&crowd->ended, 1);
  return NULL;
}

static void* wait_for_half(void* argument) {
  struct crowd* const crowd = argument;
  if (ramie_counter_wait(crowd->left, (int64_t)(crowd->fibers / 2)) != RAMIE_OK) return NULL;
  atomic_store(&crowd->at_half, atomic_load(&crowd->ended));
  return NULL;
}

static void* spawn_crowd(void* argument) {
  struct crowd* const crowd = argument;
  ramie_spawn_options small = RAMIE_SPAWN_OPTIONS_INIT;
  ramie_fiber* waiter = NULL;
  small.stack_size = 16384;
  ramie_counter_add(crowd->left, 1); /* so that it is not 0 before all are there */
  for (size_t i = 0; i < crowd->fibers; ++i) {
    if (ramie_spawn_with_counter(crowd->left, i % 3 == 0 ? &small : NULL, be_one_of_a_crowd, crowd) != RAMIE_OK)
      return (void*)"a fiber of the crowd was not spawned";
  }
  if (ramie_spawn(&waiter, NULL, wait_for_half, crowd) != RAMIE_OK) return (void*)"the waiter was not spawned";
  if (ramie_join(waiter, NULL) != RAMIE_OK) return (void*)"the waiter was not joined";
  ramie_counter_decrement(crowd->left, 1);
  return NULL;
}

const char* drive_counter(unsigned workers, size_t fibers) {
  const ramie_options options = with_workers(workers);
  struct crowd crowd = {.fibers = fibers};
  ramie_runtime* runtime = NULL;
  ramie_fiber* first = NULL;
  void* wrong = NULL;
  if (ramie_counter_new(0, &crowd.left) != RAMIE_OK) return ramie_last_error();
  if (ramie_runtime_new(&options, &runtime) != RAMIE_OK) return ramie_last_error();
  if (ramie_runtime_start(runtime) != RAMIE_OK) return ramie_last_error();
  if (ramie_runtime_spawn(runtime, &first, NULL, spawn_crowd, &crowd) != RAMIE_OK) return ramie_last_error();
  if (ramie_join(first, &wrong) != RAMIE_OK) return ramie_last_error();
  if (ramie_counter_wait(crowd.left, 0) != RAMIE_OK) return ramie_last_error();
  if (ramie_counter_value(crowd.left) != 0) wrong = "the counter is not 0 when all have ended";
  if (atomic_load(&crowd.ended) != fibers) wrong = "the counter was 0 before all had ended";
  if (atomic_load(&crowd.at_half) < fibers - fibers / 2) wrong = "a waiter went on too early";
  if (ramie_runtime_stop(runtime) != RAMIE_OK) wrong = "the runtime did not stop";
  ramie_runtime_free(runtime);
  ramie_counter_free(crowd.left);
  return wrong;
}

/* ---- From outside ---- */

struct outsider {
  ramie_runtime* spawns_on;
  ramie_runtime* joined_on;
  size_t fibers;
  const char* wrong;
};

static void* join_and_forward(void* fiber) {
  void* result = NULL;
  return ramie_join(fiber, &result) == RAMIE_OK ? result : NULL;
}

/* Spawns one fiber after the other on one runtime; a fiber of the other joins every second one. */
static void* be_outsider(void* argument) {
  struct outsider* const me = argument;
  for (size_t i = 0; i < me->fibers && me->wrong == NULL; ++i) {
    ramie_fiber* fiber = NULL;
    void* result = NULL;
    if (ramie_runtime_spawn(me->spawns_on, &fiber, NULL, yield_and_return, (void*)i) != RAMIE_OK)
      me->wrong = "a thread could not spawn";
    if (i % 2 == 0 && ramie_runtime_spawn(me->joined_on, &fiber, NULL, join_and_forward, fiber) != RAMIE_OK)
      me->wrong = "a thread could not spawn on the other runtime";
    if (me->wrong == NULL && (ramie_join(fiber, &result) != RAMIE_OK || result != (void*)(i + 1)))
      me->wrong = "a thread got another result";
  }
  if (ramie_this_fiber_id() != 0 || ramie_this_fiber_name() != NULL || ramie_this_fiber_worker() != -1)
    me->wrong = "a thread says that it is a fiber";
  return NULL;
}

const char* drive_from_outside(unsigned workers, size_t fibers) {
  const ramie_options options = with_workers(workers);
  ramie_runtime* runtimes[2] = {NULL, NULL};
  pthread_t threads[threads_outside];
  struct outsider outsiders[threads_outside];
  const char* wrong = NULL;
  for (int i = 0; i < 2; ++i) {
    if (ramie_runtime_new(&options, &runtimes[i]) != RAMIE_OK) return ramie_last_error();
    if (ramie_runtime_worker_count(runtimes[i]) != workers)
      return "it has another number of workers than was asked for";
    if (ramie_runtime_start(runtimes[i]) != RAMIE_OK) return ramie_last_error();
  }
  for (int t = 0; t < threads_outside; ++t) {
    outsiders[t] = (struct outsider){
        .spawns_on = runtimes[t % 2], .joined_on = runtimes[1 - t % 2], .fibers = fibers, .wrong = NULL};
    if (pthread_create(&threads[t], NULL, be_outsider, &outsiders[t]) != 0) return "a thread could not be started";
  }
  for (int t = 0; t < threads_outside; ++t) {
    pthread_join(threads[t], NULL);
    if (outsiders[t].wrong != NULL) wrong = outsiders[t].wrong;
  }
  for (int i = 0; i < 2; ++i) {
    if (ramie_runtime_stop(runtimes[i]) != RAMIE_OK) wrong = ramie_last_error();
    ramie_runtime_free(runtimes[i]);
  }
  return wrong;
}
