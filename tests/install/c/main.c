/* The smallest useful C program against the installed package. Built by both consumers. */
#include <ramie/c/queue.h>
#include <ramie/c/ramie.h>
#include <stdint.h>
#include <stdio.h>

static void* answer(void* unused) {
  (void)unused;
  return (void*)(intptr_t)42;
}

static void* first(void* unused) {
  ramie_fiber* fiber = NULL;
  void* result = NULL;
  (void)unused;
  if (ramie_spawn(&fiber, NULL, answer, NULL) == RAMIE_OK) ramie_join(fiber, &result);
  return result;
}

int main(void) {
  ramie_queue* queue = ramie_queue_new("split", 16);
  void* result = NULL;
  char version[32];
  const int error = ramie_run(NULL, first, NULL, &result);
  ramie_queue_free(queue);
  snprintf(version, sizeof version, "%d.%d.%d", ramie_version() / 1000000, ramie_version() / 1000 % 1000,
           ramie_version() % 1000);
  printf("ramie %s for C: %d\n", version, (int)(intptr_t)result);
  for (int i = 0; EXPECTED_VERSION[i] != '\0' || version[i] != '\0'; ++i) {
    if (EXPECTED_VERSION[i] != version[i]) return 2;
  }
  return error == RAMIE_OK && queue != NULL && (intptr_t)result == 42 ? 0 : 1;
}
