#include <model/checker/memory.hpp>

#include <model/checker/clock.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace ramie::model {
namespace {

constexpr std::size_t arena_size = std::size_t{16} << 20U;

struct arenas {
  std::byte* begin = nullptr;
  std::array<std::size_t, max_threads> used{};

  std::byte* of(std::size_t thread) {
    if (begin == nullptr) {
      void* const all =
          ::mmap(nullptr, arena_size * max_threads, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (all == MAP_FAILED) std::abort();
      begin = static_cast<std::byte*>(all);
    }
    return begin + thread * arena_size;
  }
};
constinit arenas g_arenas;

void* allocate(std::size_t size, std::size_t alignment) {
  if (user_code::active) return allocate_in_arena(size, alignment);
  void* memory = nullptr;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    memory = std::malloc(size != 0 ? size : 1);
  } else {
    memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void deallocate(void* memory) noexcept {
  if (!in_arena(memory)) std::free(memory);
}

}  // namespace

void empty_arenas() { g_arenas.used = {}; }

void* allocate_in_arena(std::size_t size, std::size_t alignment) {
  std::byte* const arena = g_arenas.of(user_code::thread);
  std::size_t& used = g_arenas.used[user_code::thread];
  const std::size_t begin = (used + alignment - 1) / alignment * alignment;
  if (begin + size > arena_size) {
    std::fputs("model: a thread has allocated more than 16 MiB in one execution\n", stderr);
    std::abort();
  }
  used = begin + size;
  return arena + begin;
}

bool in_arena(const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  return g_arenas.begin != nullptr && byte >= g_arenas.begin && byte < g_arenas.begin + arena_size * max_threads;
}

}  // namespace ramie::model

// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(std::size_t size) { return ramie::model::allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return ramie::model::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { ramie::model::deallocate(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { ramie::model::deallocate(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { ramie::model::deallocate(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  ramie::model::deallocate(memory);
}
// NOLINTEND(misc-new-delete-overloads)
