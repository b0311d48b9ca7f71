#include <ramie/stack/registry.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

namespace ramie::stack {
namespace {

struct entry {
  std::atomic<std::uint64_t> version{0};  // odd while the fields change
  std::atomic<std::byte*> begin{nullptr};
  std::atomic<std::size_t> slots{0};  // 0: free
  std::atomic<std::size_t> slot_size{0};
  std::atomic<std::size_t> guard_size{0};
  std::atomic<std::uint32_t> first_index{0};
};

// Constant-initialised and never destroyed, so that a handler may look at any time in the life of the process.
constinit std::array<entry, detail::registry_capacity> g_entries{};
constinit std::atomic<std::size_t> g_entries_used{0};  // entries from here on were never written
constinit std::mutex g_writers;

// Held: g_writers.
void write(entry& to, const detail::segment_range& from) noexcept {
  const std::uint64_t version = to.version.load(std::memory_order_relaxed);
  // [R1] relaxed is enough, for every store of a field below releases it: pairs with [R4].
  to.version.store(version + 1, std::memory_order_relaxed);
  // [R2] release: whoever reads a new field [R4] then finds the odd version, or a later one, at [R5], and gives up.
  // Weaker: it could take the old version for unchanged and mix two segments. (Instead of the usual fence, which TSan
  // does not understand; registration is not hot.)
  to.begin.store(from.begin, std::memory_order_release);
  to.slots.store(from.slots, std::memory_order_release);
  to.slot_size.store(from.slot_size, std::memory_order_release);
  to.guard_size.store(from.guard_size, std::memory_order_release);
  to.first_index.store(from.first_index, std::memory_order_release);
  // [R3] release: publishes the fields; pairs with the acquire at [R4a]. Weaker: an even version with old fields.
  to.version.store(version + 2, std::memory_order_release);
}

bool read(const entry& from, detail::segment_range& to) noexcept {
  // [R4a] acquire: the fields are at least as new as the version; pairs with [R3].
  const std::uint64_t before = from.version.load(std::memory_order_acquire);
  if (before % 2 != 0) return false;
  // [R4] acquire: keeps [R5] behind the fields, and pairs with [R2].
  to.begin = from.begin.load(std::memory_order_acquire);
  to.slots = from.slots.load(std::memory_order_acquire);
  to.slot_size = from.slot_size.load(std::memory_order_acquire);
  to.guard_size = from.guard_size.load(std::memory_order_acquire);
  to.first_index = from.first_index.load(std::memory_order_acquire);
  // [R5] relaxed: ordered by the acquires above.
  return from.version.load(std::memory_order_relaxed) == before && to.slots != 0;
}

}  // namespace

namespace detail {

memory slot_memory(const segment_range& segment, std::size_t local) noexcept {
  std::byte* const begin = segment.begin + local * segment.slot_size;
  const auto index = segment.first_index + static_cast<std::uint32_t>(local);
  return {begin + segment.guard_size, begin + segment.slot_size - stagger(index)};
}

std::size_t register_segment(const segment_range& segment) noexcept {
  const std::scoped_lock lock(g_writers);
  const std::size_t used = g_entries_used.load(std::memory_order_relaxed);
  std::size_t free = 0;
  while (free < used && g_entries[free].slots.load(std::memory_order_relaxed) != 0) ++free;
  if (free == registry_capacity) return free;
  write(g_entries[free], segment);
  // [R6] release: a reader that sees the larger count sees the entry; pairs with the acquire in find(). Weaker: it
  // would look at an empty entry, and miss a segment whose stack it was told of by other means.
  if (free == used) g_entries_used.store(used + 1, std::memory_order_release);
  return free;
}

void unregister_segment(std::size_t number) noexcept {
  if (number >= registry_capacity) return;
  const std::scoped_lock lock(g_writers);
  write(g_entries[number], {});
}

}  // namespace detail

bool find(const void* address, found& out) noexcept {
  const std::size_t used = g_entries_used.load(std::memory_order_acquire);
  // Integers, because pointers into different reservations may not be compared.
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < used; ++i) {
    detail::segment_range segment;
    if (!read(g_entries[i], segment)) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(segment.begin);
    if (wanted < begin || wanted - begin >= segment.slots * segment.slot_size) continue;
    const std::size_t local = (wanted - begin) / segment.slot_size;
    out.stack = detail::slot_memory(segment, local);
    out.size = segment.slot_size;
    out.in_guard = (wanted - begin) % segment.slot_size < segment.guard_size;
    return true;
  }
  return false;
}

}  // namespace ramie::stack
