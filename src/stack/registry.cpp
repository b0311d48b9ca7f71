#include <ramie/stack/registry.hpp>

#include <ramie/base/fork.hpp>

namespace ramie::stack {
namespace {

// Constant-initialised and never destroyed, so that a handler may look at any time in the life of the process.
constinit detail::segment_table<detail::registry_capacity, std_provider> g_segments;

}  // namespace

namespace detail {

memory slot_memory(const segment_range& segment, std::size_t local) noexcept {
  std::byte* const begin = segment.begin + local * segment.slot_size;
  const auto index = segment.first_index + static_cast<std::uint32_t>(local);
  return {begin + segment.guard_size, begin + segment.slot_size - stagger(index)};
}

std::size_t register_segment(const segment_range& segment) noexcept {
  ramie::detail::hold_during_fork<g_segments>();
  return g_segments.add(segment);
}

void unregister_segment(std::size_t number) noexcept {
  if (number < registry_capacity) g_segments.remove(number);
}

}  // namespace detail

bool find(const void* address, found& out) noexcept {
  // Integers, because pointers into different reservations may not be compared.
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  return g_segments.find([&](const detail::segment_range& segment) {
    const auto begin = reinterpret_cast<std::uintptr_t>(segment.begin);
    if (wanted < begin || wanted - begin >= segment.slots * segment.slot_size) return false;
    const std::size_t local = (wanted - begin) / segment.slot_size;
    out.stack = detail::slot_memory(segment, local);
    out.size = segment.slot_size;
    out.in_guard = (wanted - begin) % segment.slot_size < segment.guard_size;
    return true;
  });
}

}  // namespace ramie::stack
