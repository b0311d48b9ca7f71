/* A queue as C uses it: no ramie header but the C one. */
#include "drive_queue.h"

#include <ramie/c/queue.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { most_thieves = 8, patience = 500 };

static ramie_steal steal_at_rest(ramie_queue* queue, uint64_t* item) {
  ramie_steal got = ramie_queue_steal(queue, item);
  for (int i = 0; i < patience && got == RAMIE_STEAL_LOST_RACE; ++i) got = ramie_queue_steal(queue, item);
  return got;
}

static const char* alone(ramie_queue* queue, size_t items) {
  uint64_t item = 77;
  if (!ramie_queue_empty(queue)) return "a new queue is not empty";
  if (ramie_queue_pop(queue, &item) || item != 77) return "a new queue has an item";
  if (steal_at_rest(queue, &item) != RAMIE_STEAL_EMPTY || item != 77) return "a new queue has an item to steal";
  size_t pushed = 0;
  uint64_t sum = 0;
  /* 0 is an item as any other, and so is the largest. */
  for (; pushed < items; ++pushed) {
    errno = 0;
    const uint64_t next = pushed == 1 ? UINT64_MAX : pushed;
    if (!ramie_queue_push(queue, next)) {
      if (errno != EAGAIN) return "a push was refused, and errno does not say why";
      break;
    }
    if (ramie_queue_empty(queue)) return "a queue with an item is empty";
    sum += next;
  }
  if (pushed == 0) return "an empty queue has no room";
  for (size_t taken = 0; taken < pushed; ++taken) {
    if (taken % 2 != 0 || steal_at_rest(queue, &item) != RAMIE_STEAL_ITEM) {
      if (!ramie_queue_pop(queue, &item)) return "an item was lost";
    }
    sum -= item;
  }
  if (sum != 0) return "what was taken is not what was pushed";
  if (ramie_queue_pop(queue, &item) || !ramie_queue_empty(queue)) return "more was taken than was pushed";
  return ramie_queue_push(queue, 1) ? NULL : "a queue that is empty again has no room";
}

const char* drive_queue_alone(const char* kind, size_t capacity, size_t items) {
  ramie_queue* const queue = ramie_queue_new(kind, capacity);
  if (queue == NULL) return "no queue was made";
  const char* const wrong = alone(queue, items);
  ramie_queue_free(queue); /* with an item left in it */
  return wrong;
}

struct play {
  ramie_queue* queue;
  size_t items;
  size_t* contents;     /* written before the push, read by who takes the item, by nobody else */
  atomic_uchar* takers; /* how many have taken an item */
  atomic_size_t taken;
  atomic_bool wrong;
};

static void take(struct play* play, uint64_t item) {
  if (item >= play->items || play->contents[item] != item + 1) {
    atomic_store(&play->wrong, true);
  } else {
    atomic_fetch_add(&play->takers[item], 1);
  }
  atomic_fetch_add(&play->taken, 1);
}

static void* be_thief(void* argument) {
  struct play* const play = argument;
  while (atomic_load(&play->taken) < play->items) {
    uint64_t item = 0;
    if (ramie_queue_steal(play->queue, &item) == RAMIE_STEAL_ITEM) {
      take(play, item);
    } else {
      sched_yield();
    }
  }
  return NULL;
}

static void be_owner(struct play* play) {
  uint64_t item = 0;
  for (size_t next = 0; next < play->items;) {
    play->contents[next] = next + 1;
    const bool pushed = ramie_queue_push(play->queue, next);
    if (pushed) ++next;
    if ((!pushed || next % 3 == 0) && ramie_queue_pop(play->queue, &item)) take(play, item);
  }
  while (atomic_load(&play->taken) < play->items) {
    if (ramie_queue_pop(play->queue, &item)) {
      take(play, item);
    } else {
      sched_yield();
    }
  }
}

const char* drive_queue(const char* kind, size_t capacity, size_t items, unsigned thieves) {
  if (thieves > most_thieves) return "too many thieves";
  struct play play = {.queue = ramie_queue_new(kind, capacity),
                      .items = items,
                      .contents = calloc(items, sizeof(size_t)),
                      .takers = calloc(items, sizeof(atomic_uchar))};
  const char* wrong = NULL;
  if (play.queue == NULL || play.contents == NULL || play.takers == NULL) {
    wrong = "no queue was made";
  } else {
    pthread_t threads[most_thieves];
    unsigned started = 0;
    while (started < thieves && pthread_create(&threads[started], NULL, be_thief, &play) == 0) ++started;
    be_owner(&play);
    for (unsigned t = 0; t < started; ++t) pthread_join(threads[t], NULL);
    if (started < thieves) wrong = "a thread could not be started";
    if (atomic_load(&play.wrong)) wrong = "an item came out that nobody had pushed";
    if (!ramie_queue_empty(play.queue)) wrong = "an empty queue says that it is not";
    for (size_t i = 0; i < items && wrong == NULL; ++i) {
      if (play.takers[i] != 1) wrong = "an item was taken twice, or not at all";
    }
  }
  free(play.takers);
  free(play.contents);
  ramie_queue_free(play.queue);
  return wrong;
}
