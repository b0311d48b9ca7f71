#include "pool_programs.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Submits, waits and frees, from outside. */
static void* result_of(struct thread_pool* pool, fork_join_task_t task, void* data) {
  struct future* const whole = thread_pool_submit(pool, task, data);
  if (whole == NULL) return NULL;
  void* const result = future_get(whole);
  future_free(whole);
  return result;
}

static uint64_t next_random(uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return *state >> 33U;
}

struct array {
  uint32_t* items;
  uint32_t* spare; /* merge sort's */
  size_t count;
};

static bool make_array(struct array* made, size_t count) {
  made->count = count;
  made->items = malloc(2 * count * sizeof(uint32_t));
  if (made->items == NULL) return false;
  made->spare = made->items + count;
  uint64_t state = count;
  for (size_t i = 0; i < count; ++i) made->items[i] = (uint32_t)next_random(&state);
  return true;
}

static uint64_t sum_of(const struct array* a) {
  uint64_t sum = 0;
  for (size_t i = 0; i < a->count; ++i) sum += a->items[i];
  return sum;
}

static void insertion_sort(uint32_t* items, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    const uint32_t item = items[i];
    size_t at = i;
    for (; at > 0 && items[at - 1] > item; --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

static const char* sorted_by(fork_join_task_t sort, struct thread_pool* pool, size_t count) {
  struct array all;
  if (!make_array(&all, count)) return "no memory for the array";
  const uint64_t sum = sum_of(&all);
  result_of(pool, sort, &all);
  const char* wrong = sum_of(&all) == sum ? NULL : "an item was lost";
  for (size_t i = 1; i < count; ++i) {
    if (all.items[i - 1] > all.items[i]) wrong = "the items are not in order";
  }
  free(all.items);
  return wrong;
}

enum { few_items = 32 };

static void* merge_sort(struct thread_pool* pool, void* data) {
  const struct array* const all = data;
  if (all->count <= few_items) {
    insertion_sort(all->items, all->count);
    return NULL;
  }
  const size_t half = all->count / 2;
  struct array left = {all->items, all->spare, half};
  struct array right = {all->items + half, all->spare + half, all->count - half};
  struct future* const other = thread_pool_submit(pool, merge_sort, &left);
  merge_sort(pool, &right);
  future_get(other);
  future_free(other);
  size_t l = 0;
  size_t r = 0;
  for (size_t at = 0; at < all->count; ++at) {
    const bool take_left = r == right.count || (l < left.count && left.items[l] <= right.items[r]);
    all->spare[at] = take_left ? left.items[l++] : right.items[r++];
  }
  memcpy(all->items, all->spare, all->count * sizeof(uint32_t));
  return NULL;
}

static void* quick_sort(struct thread_pool* pool, void* data) {
  const struct array* const all = data;
  if (all->count <= few_items) {
    insertion_sort(all->items, all->count);
    return NULL;
  }
  const uint32_t pivot = all->items[all->count / 2];
  ptrdiff_t low = -1;
  ptrdiff_t high = (ptrdiff_t)all->count;
  for (;;) {
    do ++low;
    while (all->items[low] < pivot);
    do --high;
    while (all->items[high] > pivot);
    if (low >= high) break;
    const uint32_t item = all->items[low];
    all->items[low] = all->items[high];
    all->items[high] = item;
  }
  const size_t middle = (size_t)high + 1;
  struct array left = {all->items, NULL, middle};
  struct array right = {all->items + middle, NULL, all->count - middle};
  struct future* const other = thread_pool_submit(pool, quick_sort, &left);
  quick_sort(pool, &right);
  future_get(other);
  future_free(other);
  return NULL;
}

static const char* run_merge_sort(struct thread_pool* pool, unsigned size) {
  return sorted_by(merge_sort, pool, 20000U * size);
}
static const char* run_quick_sort(struct thread_pool* pool, unsigned size) {
  return sorted_by(quick_sort, pool, 20000U * size);
}

/* Queens: the rows so far as bits of the columns and diagonals that are taken; a future for every queen that fits. */
struct board {
  uint32_t all, columns, falling, rising;
};

static void* queens(struct thread_pool* pool, void* data) {
  const struct board* const b = data;
  if (b->columns == b->all) return (void*)(intptr_t)1;
  struct board next[32];
  struct future* futures[32];
  unsigned count = 0;
  for (uint32_t free = b->all & ~(b->columns | b->falling | b->rising); free != 0; free &= free - 1, ++count) {
    const uint32_t queen = free & (~free + 1U);
    next[count].all = b->all;
    next[count].columns = b->columns | queen;
    next[count].falling = (b->falling | queen) << 1U;
    next[count].rising = (b->rising | queen) >> 1U;
    futures[count] = thread_pool_submit(pool, queens, &next[count]);
  }
  intptr_t solutions = 0;
  for (unsigned i = 0; i < count; ++i) { /* in the order of their submission: the oldest first */
    solutions += (intptr_t)future_get(futures[i]);
    future_free(futures[i]);
  }
  return (void*)solutions;
}

static const char* run_queens(struct thread_pool* pool, unsigned size) {
  static const intptr_t solutions[] = {4, 40, 92, 352, 724};
  const unsigned n = size < 4 ? 6 + size : 10;
  struct board empty = {(1U << n) - 1, 0, 0, 0};
  return (intptr_t)result_of(pool, queens, &empty) == solutions[n - 6] ? NULL : "another number of solutions";
}

/* Simpson's rule, adaptively, for 4 / (1 + x^2) from 0 to 1. */
struct piece {
  double from, to, tolerance, result;
};

static double simpson_of(double from, double to) {
  const double middle = (from + to) / 2;
  return (to - from) / 6 * (4 / (1 + from * from) + 16 / (1 + middle * middle) + 4 / (1 + to * to));
}

static void* simpson(struct thread_pool* pool, void* data) {
  struct piece* const all = data;
  const double middle = (all->from + all->to) / 2;
  const double halves = simpson_of(all->from, middle) + simpson_of(middle, all->to);
  const double error = halves - simpson_of(all->from, all->to);
  if (error < all->tolerance && -error < all->tolerance) {
    all->result = halves;
    return NULL;
  }
  struct piece left = {all->from, middle, all->tolerance / 2, 0};
  struct piece right = {middle, all->to, all->tolerance / 2, 0};
  struct future* const other = thread_pool_submit(pool, simpson, &left);
  simpson(pool, &right);
  future_get(other);
  future_free(other);
  all->result = left.result + right.result;
  return NULL;
}

static const char* run_simpson(struct thread_pool* pool, unsigned size) {
  struct piece whole = {0, 1, 1e-12 / size, 0};
  result_of(pool, simpson, &whole);
  const double error = whole.result - 3.14159265358979323846;
  return error < 1e-9 && error > -1e-9 ? NULL : "it is not pi";
}

static void* fibonacci(struct thread_pool* pool, void* data) {
  const intptr_t n = (intptr_t)data;
  if (n < 2) return data;
  struct future* const first = thread_pool_submit(pool, fibonacci, (void*)(n - 1));
  const intptr_t second = (intptr_t)fibonacci(pool, (void*)(n - 2));
  const intptr_t sum = (intptr_t)future_get(first) + second;
  future_free(first);
  return (void*)sum;
}

static const char* run_fibonacci(struct thread_pool* pool, unsigned size) {
  static const intptr_t numbers[] = {610, 987, 1597, 2584, 4181, 6765};
  const unsigned n = 15 + (size < 5 ? size : 5);
  return (intptr_t)result_of(pool, fibonacci, (void*)(intptr_t)n) == numbers[n - 15] ? NULL : "another number";
}

/* The sum of an array, a piece a future, all submitted first. */
static void* sum_of_piece(struct thread_pool* pool, void* data) {
  (void)pool;
  return (void*)(uintptr_t)sum_of(data);
}

enum { sum_pieces = 64 };

static void* sum_by_pieces(struct thread_pool* pool, void* data) {
  const struct array* const all = data;
  struct array pieces[sum_pieces];
  struct future* futures[sum_pieces];
  for (size_t i = 0; i < sum_pieces; ++i) {
    const size_t begin = all->count * i / sum_pieces;
    const size_t end = all->count * (i + 1) / sum_pieces;
    pieces[i] = (struct array){all->items + begin, NULL, end - begin};
    futures[i] = thread_pool_submit(pool, sum_of_piece, &pieces[i]);
  }
  uintptr_t sum = 0;
  for (size_t i = 0; i < sum_pieces; ++i) {
    sum += (uintptr_t)future_get(futures[i]);
    future_free(futures[i]);
  }
  return (void*)sum;
}

static const char* run_sum(struct thread_pool* pool, unsigned size) {
  struct array all;
  if (!make_array(&all, 100000U * size)) return "no memory for the array";
  const bool right = (uintptr_t)result_of(pool, sum_by_pieces, &all) == (uintptr_t)sum_of(&all);
  free(all.items);
  return right ? NULL : "another sum";
}

/* Tasks that sleep, and one that waits for them. */
static void* sleep_a_millisecond(struct thread_pool* pool, void* data) {
  (void)pool;
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, NULL);
  return data;
}

static void* wait_for_sleepers(struct thread_pool* pool, void* data) {
  struct future* futures[16];
  const unsigned count = *(const unsigned*)data < 4 ? 4 * *(const unsigned*)data : 16;
  for (unsigned i = 0; i < count; ++i) futures[i] = thread_pool_submit(pool, sleep_a_millisecond, &futures[i]);
  bool right = true;
  for (unsigned i = 0; i < count; ++i) {
    right = future_get(futures[i]) == (void*)&futures[i] && right;
    future_free(futures[i]);
  }
  return right ? data : NULL;
}

static const char* run_sleepers(struct thread_pool* pool, unsigned size) {
  return result_of(pool, wait_for_sleepers, &size) == &size ? NULL : "a sleeper returned something else";
}

/* Several threads from outside, each with a tree of its own, while the workers run. */
struct outsider {
  struct thread_pool* pool;
  unsigned size;
  const char* wrong;
};

static void* submit_trees(void* argument) {
  struct outsider* const me = argument;
  for (unsigned i = 0; i < 10 * me->size && me->wrong == NULL; ++i) me->wrong = run_fibonacci(me->pool, 0);
  return NULL;
}

static const char* run_outsiders(struct thread_pool* pool, unsigned size) {
  struct outsider outsiders[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    outsiders[i] = (struct outsider){pool, size, NULL};
    if (pthread_create(&threads[i], NULL, submit_trees, &outsiders[i]) != 0) abort();
  }
  const char* wrong = NULL;
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    if (outsiders[i].wrong != NULL) wrong = outsiders[i].wrong;
  }
  return wrong;
}

/* Thousands of futures at once, from outside, got from the newest to the oldest. */
static void* add_one(struct thread_pool* pool, void* data) {
  (void)pool;
  return (void*)((intptr_t)data + 1);
}

static const char* run_thousands(struct thread_pool* pool, unsigned size) {
  const unsigned count = 3000 * size;
  struct future** const futures = malloc(count * sizeof(struct future*));
  if (futures == NULL) return "no memory for the futures";
  for (unsigned i = 0; i < count; ++i) futures[i] = thread_pool_submit(pool, add_one, (void*)(intptr_t)i);
  const char* wrong = NULL;
  for (unsigned i = count; i-- > 0;) {
    if ((intptr_t)future_get(futures[i]) != (intptr_t)i + 1) wrong = "a future has another's result";
    future_free(futures[i]);
  }
  free(futures);
  return wrong;
}

/* A task that submits more than there could be stacks for, and asks for them in a shuffled order. */
static void* submit_crowd(struct thread_pool* pool, void* data) {
  const size_t count = *(const unsigned*)data * 100000U;
  struct future** const futures = malloc(count * sizeof(struct future*));
  if (futures == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) futures[i] = thread_pool_submit(pool, add_one, (void*)(intptr_t)i);
  bool right = true;
  for (size_t i = 0, at = 0; i < count; ++i, at = (at + 77777) % count) { /* a prime: each comes once */
    right = futures[at] != NULL && (size_t)future_get(futures[at]) == at + 1 && right;
    future_free(futures[at]);
  }
  free(futures);
  return right ? data : NULL;
}

static const char* run_crowd(struct thread_pool* pool, unsigned size) {
  return result_of(pool, submit_crowd, &size) == &size ? NULL : "a future has another's result";
}

/* A chain of futures: each task waits for one that was submitted before it, by somebody else. */
struct link {
  struct future* before;
  intptr_t length;
};

static void* wait_for_link(struct thread_pool* pool, void* data) {
  (void)pool;
  struct link* const mine = data;
  return (void*)((mine->before == NULL ? 0 : (intptr_t)future_get(mine->before)) + 1);
}

static const char* run_chain(struct thread_pool* pool, unsigned size) {
  enum { most = 1000 };
  struct link links[most];
  struct future* futures[most];
  const unsigned count = 100 * size < most ? 100 * size : most;
  for (unsigned i = 0; i < count; ++i) {
    links[i].before = i == 0 ? NULL : futures[i - 1];
    futures[i] = thread_pool_submit(pool, wait_for_link, &links[i]);
  }
  const bool right = (intptr_t)future_get(futures[count - 1]) == (intptr_t)count;
  for (unsigned i = 0; i < count; ++i) { /* others may still be in future_get for it */
    future_get(futures[i]);
  }
  for (unsigned i = 0; i < count; ++i) future_free(futures[i]);
  return right ? NULL : "a link is missing";
}

const struct pool_program pool_programs[pool_program_count] = {
    {"merge_sort", run_merge_sort}, {"quick_sort", run_quick_sort}, {"queens", run_queens},
    {"simpson", run_simpson},       {"fibonacci", run_fibonacci},   {"sum", run_sum},
    {"sleepers", run_sleepers},     {"outsiders", run_outsiders},   {"thousands", run_thousands},
    {"crowd", run_crowd},           {"chain", run_chain},
};
