/* A runtime that works beside a C program's own threads, options, and errors. */
#include <inttypes.h>
#include <ramie/c/ramie.h>
#include <stdatomic.h>
#include <stdio.h>

enum { requests = 100 };

struct server {
  ramie_counter* open; /* requests that are not answered yet */
  atomic_int answered;
};

static void* answer(void* argument) {
  struct server* const server = argument;
  ramie_yield(); /* here it would wait for something */
  atomic_fetch_add(&server->answered, 1);
  ramie_counter_decrement(server->open, 1);
  return NULL;
}

static int failed(const char* what, int error) {
  fprintf(stderr, "%s: %s: %s\n", what, ramie_strerror(error), ramie_last_error());
  return 1;
}

int main(void) {
  struct server server = {0};
  ramie_runtime* runtime = NULL;
  ramie_options options = RAMIE_OPTIONS_INIT;
  ramie_spawn_options how = RAMIE_SPAWN_OPTIONS_INIT;
  int error = RAMIE_OK;

  options.workers = 5000;
  error = ramie_runtime_new(&options, &runtime);
  printf("%s: %s\n", ramie_strerror(error), ramie_last_error());

  options.workers = 2;
  error = ramie_runtime_new(&options, &runtime);
  if (error == RAMIE_OK) error = ramie_runtime_start(runtime);
  if (error == RAMIE_OK) error = ramie_counter_new(requests, &server.open);
  if (error != RAMIE_OK) return failed("no runtime", error);

  how.name = "request"; /* for messages and debuggers */
  how.stack_size = 64 * 1024;
  for (int i = 0; i < requests; ++i) {
    /* NULL: nobody joins it. The counter says when all are done. */
    error = ramie_runtime_spawn(runtime, NULL, &how, answer, &server);
    if (error != RAMIE_OK) return failed("no fiber", error);
  }
  error = ramie_counter_wait(server.open, 0); /* blocks this thread; in a fiber it would block the fiber alone */
  if (error != RAMIE_OK) return failed("no wait", error);
  printf("%d answered, %" PRId64 " open\n", atomic_load(&server.answered), ramie_counter_value(server.open));

  ramie_runtime_free(runtime); /* waits for what is left of the fibers, then ends the workers */
  ramie_counter_free(server.open);
  return 0;
}
