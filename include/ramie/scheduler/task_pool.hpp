// Memory for tasks and calls. They are short-lived, made on one worker and often ended on another.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/config.hpp>
#include <ramie/scheduler/magazine.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace ramie::detail {

/// A free block. The header lies in the block itself.
struct task_block {
  task_block* next;
  task_block* next_magazine;
  std::size_t magazine_count;
};

/// Shared by the workers of a runtime. Blocks of one size, cut from slabs that live as long as the runtime. What is
/// larger, and everything in AddressSanitizer builds (it then sees a use after the end), comes from operator new.
template <std::size_t BlockSize>
class block_depot {
 public:
  [[nodiscard]] static constexpr bool pooled(std::size_t size) { return size <= BlockSize && RAMIE_ASAN == 0; }

  /// For what is not pooled. Throws std::bad_alloc.
  [[nodiscard]] static void* allocate_large(std::size_t size) {
    return ::operator new(size, std::align_val_t{cache_line_size});
  }
  static void free_large(void* memory) noexcept { ::operator delete(memory, std::align_val_t{cache_line_size}); }

  /// Throws std::bad_alloc.
  magazine<task_block> refill() {
    const magazine<task_block> recycled = m_depot.take();
    return recycled.count != 0 ? recycled : cut_slab();
  }
  void give_back(magazine<task_block> blocks) { m_depot.give(blocks); }

 private:
  struct alignas(cache_line_size) storage {
    std::byte bytes[BlockSize];
  };
  magazine<task_block> cut_slab() {
    auto slab = std::make_unique_for_overwrite<storage[]>(magazine_size);
    magazine<task_block> blocks;
    for (std::size_t i = magazine_size; i-- > 0;) blocks.push(new (slab[i].bytes) task_block{});
    const std::lock_guard guard(m_lock);
    m_slabs.push_back(std::move(slab));
    return blocks;
  }

  magazine_depot<task_block> m_depot;
  futex_lock<> m_lock;
  std::vector<std::unique_ptr<storage[]>> m_slabs;
};

using task_depot = block_depot<2 * cache_line_size>;
using task_cache = magazine_cache<task_block, task_depot>;
/// For calls that fit in a cache line.
using line_depot = block_depot<cache_line_size>;
using line_cache = magazine_cache<task_block, line_depot>;

}  // namespace ramie::detail
