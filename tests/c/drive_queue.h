#ifndef RAMIE_TESTS_C_DRIVE_QUEUE_H
#define RAMIE_TESTS_C_DRIVE_QUEUE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread alone: pushes `items` items and takes them from both ends. NULL, or what went wrong. */
const char* drive_queue_alone(const char* kind, size_t capacity, size_t items);

/* An owner and thieves: each of `items` items is taken once. NULL, or what went wrong. */
const char* drive_queue(const char* kind, size_t capacity, size_t items, unsigned thieves);

#ifdef __cplusplus
}
#endif

#endif
