/* Programs on the C thread pool, in C: what a course on computer systems lets its students' pools run, and more. */
#ifndef TESTS_C_POOL_PROGRAMS_H
#define TESTS_C_POOL_PROGRAMS_H

#include <ramie/c/threadpool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pool_program {
  const char* name;
  /* From a thread that is no worker of the pool. `size`: 1 ends within a few milliseconds; the work grows with it.
   * Returns what was wrong, or NULL. */
  const char* (*run)(struct thread_pool* pool, unsigned size);
};

enum { pool_program_count = 11 };
extern const struct pool_program pool_programs[pool_program_count];

#ifdef __cplusplus
}
#endif

#endif
