/* The sum of the first million numbers, on a fork/join thread pool: halves until a piece is small enough. */
#include <ramie/c/threadpool.h>
#include <stdint.h>
#include <stdio.h>

struct range {
  uint64_t begin, end, sum;
};

static void* sum_up(struct thread_pool* pool, void* data) {
  struct range* const all = data;
  if (all->end - all->begin <= 1000) {
    for (uint64_t i = all->begin; i < all->end; ++i) all->sum += i;
    return all;
  }
  const uint64_t middle = all->begin + (all->end - all->begin) / 2;
  struct range left = {all->begin, middle, 0};
  struct range right = {middle, all->end, 0};
  struct future* const other = thread_pool_submit(pool, sum_up, &left);
  if (other == NULL) return NULL; /* no memory */
  const int right_failed = sum_up(pool, &right) == NULL;
  const int left_failed = future_get(other) == NULL; /* in any case: it writes to `left` */
  future_free(other);
  if (left_failed || right_failed) return NULL;
  all->sum = left.sum + right.sum;
  return all;
}

int main(void) {
  struct thread_pool* const pool = thread_pool_new(2);
  if (pool == NULL) {
    perror("thread_pool_new");
    return 1;
  }
  struct range all = {0, 1000001, 0};
  struct future* const whole = thread_pool_submit(pool, sum_up, &all);
  const int worked = whole != NULL && future_get(whole) != NULL;
  future_free(whole);
  thread_pool_shutdown_and_destroy(pool);
  if (!worked) {
    fprintf(stderr, "no memory for the tasks\n");
    return 1;
  }
  printf("%llu\n", (unsigned long long)all.sum);
  return 0;
}
