#ifndef RAMIE_TESTS_C_DRIVE_RUNTIME_H
#define RAMIE_TESTS_C_DRIVE_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each runs on a runtime of its own, with so many workers. NULL, or what went wrong. */

/* fib(n) by nested forks. */
const char* drive_forks(unsigned workers, unsigned flags, int n);

/* So many fibers that yield, each with a result of its own, joined in the opposite order. */
const char* drive_joins(unsigned workers, size_t fibers);

/* So many fibers with a counter: a fiber waits for the half of them, a thread for all. */
const char* drive_counter(unsigned workers, size_t fibers);

/* Fibers from several threads, joined by them and by a fiber of another runtime. */
const char* drive_from_outside(unsigned workers, size_t fibers);

/* The version, from the header and from the library. */
int version_in_c(void);

#ifdef __cplusplus
}
#endif

#endif
