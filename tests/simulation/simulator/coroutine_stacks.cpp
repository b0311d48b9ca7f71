#include <simulation/simulator/coroutine_stacks.hpp>

#include <ramie/base/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <vector>

#if RAMIE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace ramie::sim::coroutine_stacks {
namespace {

constexpr std::size_t guard = 4096;

std::vector<std::byte*>& free_ones() {
  static auto& all = *new std::vector<std::byte*>;  // never destroyed: needed by nobody at the end
  return all;
}

}  // namespace

std::byte* take() {
  std::vector<std::byte*>& free = free_ones();
  if (!free.empty()) {
    std::byte* const one = free.back();
    free.pop_back();
    return one;
  }
  void* const mapped =
      ::mmap(nullptr, size + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED || ::mprotect(mapped, guard, PROT_NONE) != 0) {
    std::perror("simulation: no memory for a simulated thread's stack");
    std::abort();
  }
  return static_cast<std::byte*>(mapped) + guard;
}

void give_back(std::byte* stack) {
#if RAMIE_ASAN
  __asan_unpoison_memory_region(stack, size);  // the last frames never returned
#endif
  free_ones().push_back(stack);
}

}  // namespace ramie::sim::coroutine_stacks
