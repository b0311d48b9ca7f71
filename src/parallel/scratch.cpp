#include <ramie/parallel/sort/scratch.hpp>

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

namespace ramie::detail::sorting {

void* allocate_scratch(std::size_t bytes, std::size_t alignment) noexcept {
  constexpr std::size_t huge_page = std::size_t{2} << 20U;
  const bool huge = bytes >= 2 * huge_page;
  alignment = std::max(huge ? huge_page : std::size_t{64}, alignment);
  if (bytes > static_cast<std::size_t>(-1) - alignment) return nullptr;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, std::max(whole, alignment));
  if (huge && memory != nullptr) ::madvise(memory, whole, MADV_HUGEPAGE);  // a wish; it may fail
  return memory;
}

void free_scratch(void* memory) noexcept { std::free(memory); }

}  // namespace ramie::detail::sorting
