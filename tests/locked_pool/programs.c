#include "locked_pool/programs.h"

/* In place of tests/c/pool_programs.h: its names, and those of ramie/c/threadpool.h, stand for the locked pool's. */
#define TESTS_C_POOL_PROGRAMS_H
#define thread_pool locked_pool
#define future locked_future
#define fork_join_task_t locked_pool_task_t
#define thread_pool_submit locked_pool_submit
#define future_get locked_future_get
#define future_free locked_future_free
#define pool_program locked_pool_program
#define pool_program_count locked_pool_program_count
#define pool_programs locked_pool_programs

#include "c/pool_programs.c"
