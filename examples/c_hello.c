/* The smallest program in C: fibers that return values. */
#include <ramie/c/ramie.h>
#include <stdint.h>
#include <stdio.h>

static void* six(void* unused) {
  (void)unused;
  return (void*)(intptr_t)6;
}

static void* times_seven(void* fiber) {
  void* result = NULL;
  if (ramie_join(fiber, &result) != RAMIE_OK) return NULL;
  return (void*)(7 * (intptr_t)result);
}

static void* first(void* unused) {
  ramie_fiber* one = NULL;
  ramie_fiber* other = NULL;
  void* result = NULL;
  (void)unused;
  if (ramie_spawn(&one, NULL, six, NULL) != RAMIE_OK) return NULL;
  if (ramie_spawn(&other, NULL, times_seven, one) != RAMIE_OK) return NULL;
  if (ramie_join(other, &result) == RAMIE_OK) printf("%d\n", (int)(intptr_t)result);
  return NULL;
}

int main(void) { return ramie_run(NULL, first, NULL, NULL); }
