// Not for users.
//
// Memory for tasks and calls, as a worker keeps it. They are short-lived, made on one worker and often ended on
// another. task_pool.hpp has what the workers of a runtime share.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/config.hpp>
#include <ramie/scheduler/magazine.hpp>

#include <cstddef>

namespace ramie::detail {

/// A free block. The header lies in the block itself.
struct task_block {
  task_block* next;
  task_block* next_magazine;
  std::size_t magazine_count;
};

template <std::size_t BlockSize>
class block_depot;

/// Free blocks of one size. A larger block, and every block in AddressSanitizer builds (it then sees a use after the
/// end), comes from operator new.
template <std::size_t BlockSize>
class block_cache : public magazine_cache<task_block, block_depot<BlockSize>> {
 public:
  [[nodiscard]] static constexpr bool serves(std::size_t size) { return size <= BlockSize && RAMIE_ASAN == 0; }
};

using task_cache = block_cache<2 * cache_line_size>;
/// For calls that fit in a cache line.
using line_cache = block_cache<cache_line_size>;

}  // namespace ramie::detail
