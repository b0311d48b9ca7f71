// The limit behind a refusal, in a sentence that says how to raise it. Slow: reads files in /proc.
#pragma once

#include <ramie/base/units.hpp>
#include <ramie/stack/config.hpp>

#include <cstddef>
#include <string>

namespace ramie::stack::detail {

/// Address space was refused: vm.max_map_count, RLIMIT_AS, vm.overcommit_memory, or the end of the address space.
[[nodiscard]] std::string explain_mmap_failure(bytes stack_size, int error, std::size_t in_use);

/// A guard was refused: vm.max_map_count for mprotect, memory for its page tables, or what errno says.
[[nodiscard]] std::string explain_guard_failure(guard_kind kind, int error, std::size_t in_use);

[[nodiscard]] std::string explain_max_stacks(std::size_t max_stacks);

}  // namespace ramie::stack::detail
