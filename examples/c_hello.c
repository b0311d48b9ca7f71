/* The smallest program in C, as docs/c.md has it: a fiber that returns a value. */
#include <ramie/c/ramie.h>
#include <stdint.h>
#include <stdio.h>

static void* six(void* unused) {
  (void)unused;
  return (void*)(intptr_t)6;
}

static void* first(void* unused) {
  ramie_fiber* fiber = NULL;
  void* result = NULL;
  (void)unused;
  if (ramie_spawn(&fiber, NULL, six, NULL) != RAMIE_OK) return NULL;
  if (ramie_join(fiber, &result) == RAMIE_OK) printf("%d\n", 7 * (int)(intptr_t)result);
  return NULL;
}

int main(void) { return ramie_run(NULL, first, NULL, NULL); }
