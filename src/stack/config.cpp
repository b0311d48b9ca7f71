#include <ramie/base/error.hpp>
#include <ramie/stack/config.hpp>

#include <algorithm>
#include <string>

namespace ramie::stack {
namespace {

constexpr std::size_t smallest_stack = std::size_t{16} << 10U;
constexpr std::size_t largest_stack = std::size_t{64} << 30U;

constexpr std::size_t whole_pages(std::size_t size) { return (size + page_size - 1) / page_size * page_size; }

}  // namespace

std::string_view to_string(guard_kind kind) noexcept {
  switch (kind) {
    case guard_kind::guard_install: return "guard_install";
    case guard_kind::mprotect: return "mprotect";
    case guard_kind::none: return "none";
  }
  return "unknown";
}

bytes usual_guard(bytes stack_size) noexcept {
  constexpr std::size_t most = std::size_t{40} << 10U;
  const std::size_t quarter = stack_size.count() / 4 / page_size * page_size;
  return bytes(std::clamp(quarter, page_size, most));
}

config validated(config wanted) {
  const std::size_t asked = wanted.size.count();
  if (asked < smallest_stack || asked > largest_stack) {
    throw bad_option("stack_size is " + std::to_string(asked) +
                     " bytes, but must lie between 16 KiB and 64 GiB: give it with its unit, as in 256_KiB");
  }
  const std::size_t size = whole_pages(asked);
  const std::size_t most_guard = size - 2 * page_size;
  if (wanted.guard_size.count() > most_guard) {
    throw bad_option("guard_size is " + std::to_string(wanted.guard_size.count()) +
                     " bytes, which leaves less than two pages of the stack_size of " + std::to_string(size) +
                     " bytes: it may be at most " + std::to_string(most_guard) + ", or stack_size must grow");
  }
  if (wanted.max_stacks == 0) {
    throw bad_option("max_stacks is 0, but must be at least 1: leave it out for no limit");
  }
  if (wanted.first_segment > wanted.largest_segment || wanted.largest_segment.count() > largest_stack) {
    throw bad_option("first_segment is " + std::to_string(wanted.first_segment.count()) + " and largest_segment " +
                     std::to_string(wanted.largest_segment.count()) +
                     " bytes, but the first may not exceed the largest, nor that 64 GiB");
  }
  wanted.size = bytes(size);
  wanted.guard_size = bytes(std::max(page_size, whole_pages(wanted.guard_size.count())));
  return wanted;
}

}  // namespace ramie::stack
