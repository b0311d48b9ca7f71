/* Divide and conquer in C: the sum of an array, of whose halves each may be summed by another worker. */
#include <ramie/c/ramie.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { items = 1000000, few = 2000 };

struct part {
  const uint32_t* numbers;
  size_t count;
  uint64_t sum; /* by the function; nothing has to be allocated for a result */
};

static void* add_up(void* argument) {
  struct part* const all = argument;
  if (all->count <= few) {
    for (size_t i = 0; i < all->count; ++i) all->sum += all->numbers[i];
    return NULL;
  }
  /* On this stack: fork_join returns when both have returned. */
  struct part left = {all->numbers, all->count / 2, 0};
  struct part right = {all->numbers + left.count, all->count - left.count, 0};
  if (ramie_fork_join(add_up, &left, NULL, add_up, &right, NULL) != RAMIE_OK) abort();
  all->sum = left.sum + right.sum;
  return NULL;
}

int main(void) {
  uint32_t* const numbers = malloc(items * sizeof *numbers);
  if (numbers == NULL) return 1;
  for (uint32_t i = 0; i < items; ++i) numbers[i] = i;
  struct part all = {numbers, items, 0};
  const int error = ramie_run(NULL, add_up, &all, NULL);
  if (error != RAMIE_OK) {
    fprintf(stderr, "%s: %s\n", ramie_strerror(error), ramie_last_error());
  } else {
    printf("%llu\n", (unsigned long long)all.sum);
  }
  free(numbers);
  return error;
}
