// Memory for tasks and calls, as the workers of a runtime share it: see task_memory.hpp.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/scheduler/task_memory.hpp>

#include "scheduler/magazine_depot.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace ramie::detail {

/// Blocks of one size, cut from slabs that live as long as the runtime.
template <std::size_t BlockSize>
class block_depot {
 public:
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
using line_depot = block_depot<cache_line_size>;

/// For what no block serves. Throws std::bad_alloc.
[[nodiscard]] inline void* allocate_large_task(std::size_t size) {
  return ::operator new(size, std::align_val_t{cache_line_size});
}
inline void free_large_task(void* memory) noexcept { ::operator delete(memory, std::align_val_t{cache_line_size}); }

}  // namespace ramie::detail
