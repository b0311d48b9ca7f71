/* The programs of tests/c/pool_programs.c, compiled a second time for the locked pool. */
#ifndef TESTS_LOCKED_POOL_PROGRAMS_H
#define TESTS_LOCKED_POOL_PROGRAMS_H

#include "ablation/locked_pool/locked_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As struct pool_program. */
struct locked_pool_program {
  const char* name;
  const char* (*run)(struct locked_pool* pool, unsigned size);
};

enum { locked_pool_program_count = 11 };
extern const struct locked_pool_program locked_pool_programs[locked_pool_program_count];

#ifdef __cplusplus
}
#endif

#endif
