#include <ramie/parallel/large_values.hpp>

namespace ramie::detail {

[[gnu::noinline]] void probe_stack(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  auto* const room = static_cast<volatile char*>(__builtin_alloca(bytes));
  // From the top: beyond the guard another stack may lie.
  for (std::size_t at = bytes; at > page; at -= page) room[at - 1] = 0;
  room[0] = 0;
}

}  // namespace ramie::detail
