/* The work-stealing queues of ramie for C, and for any language that can call C: six functions over any kind of queue,
 * which hold 64-bit items. Needs C99.
 *
 *     ramie_queue* queue = ramie_queue_new("chase_lev", 1024);
 *     ramie_queue_push(queue, 42);                            // the owner
 *     uint64_t item;
 *     if (ramie_queue_steal(queue, &item) == RAMIE_STEAL_ITEM) ...   // any thread
 *     ramie_queue_free(queue);
 *
 * A queue belongs to one thread at a time, its owner: the thread that calls push and pop, which must not run at the
 * same moment. Any thread may call steal and empty, at any time between new and free. The thread that takes an item
 * sees everything written before its push.
 *
 * No function blocks but for the lock of the kinds that have one. A queue that is NULL where free does not say so, or
 * an item pointer that is NULL, ends the process with a sentence on standard error.
 */
#ifndef RAMIE_C_QUEUE_H
#define RAMIE_C_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ramie_queue ramie_queue;

/* The outcome of a steal. */
typedef enum ramie_steal {
  RAMIE_STEAL_ITEM = 0,     /* one was taken */
  RAMIE_STEAL_EMPTY = 1,    /* there was nothing to take */
  RAMIE_STEAL_LOST_RACE = 2 /* there is something, but not for this call: see ramie_queue_steal */
} ramie_steal;

/* A queue of the kind of that name: "global", "locked", "abp", "chase_lev", "bwos_lifo", "bwos_fifo", "exchange" or
 * "split". Bounded kinds have room for `capacity` items, which thieves may keep for a while
 * after they have taken them; the others grow beyond it. Free it with ramie_queue_free.
 *
 * NULL, and errno says why:
 *   EINVAL  no kind has that name (or it is NULL), or the capacity is 0, or larger than this kind can have
 *   ENOMEM  no memory
 *
 * Any thread. The thread that pushes and pops first is the owner. */
ramie_queue* ramie_queue_new(const char* kind, size_t capacity);

/* Once nobody uses the queue. Items left in it are forgotten. NULL: does nothing. */
void ramie_queue_free(ramie_queue* queue);

/* Owner. False: nothing was pushed, and errno says why: EAGAIN, the queue is full; ENOMEM, it had to grow and could
 * not. */
bool ramie_queue_push(ramie_queue* queue, uint64_t item);

/* Owner. False: the queue was empty, and *item is as it was. The kind says which item it is: the newest, but for global
 * and bwos_fifo, the oldest. */
bool ramie_queue_pop(ramie_queue* queue, uint64_t* item);

/* Any thread. *item is written only with RAMIE_STEAL_ITEM: the oldest item that thieves may have.
 *
 * The meaning of RAMIE_STEAL_LOST_RACE, and whether another call soon afterwards is worth while, depend on the kind:
 *
 *   chase_lev, abp, exchange  another thread was faster: yes.
 *   locked                    another thread has the lock: yes, unless the kernel has stopped that one.
 *   split                     nothing is the thieves' yet, the owner has been asked: what the first look always says.
 *                             The owner's next push or pop answers; the sixth look in vain takes without it.
 *   bwos_lifo, bwos_fifo      the same, but nothing else than the owner's next push or pop answers. While it does
 *                             neither, every call ends so, for ever.
 *
 * So never call it in a loop of its own until it says something else: after some calls in vain sleep, or do something
 * else, or steal elsewhere. */
ramie_steal ramie_queue_steal(ramie_queue* queue, uint64_t* item);

/* Any thread; a guess by the time it returns. Never true while an item whose push happened before the call is there. */
bool ramie_queue_empty(const ramie_queue* queue);

#ifdef __cplusplus
}
#endif

#endif
