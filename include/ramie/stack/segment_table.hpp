// The table of reserved address ranges, as registry.hpp describes it: a template, so that the model checker runs it
// too.
//
// Each entry is a sequence lock (Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?", MSPC'12)
// whose reader does not retry but skips an entry in change: a stack in use lies in a segment that was registered
// completely before the stack was handed out and that is unregistered only after it came back, so an entry in change
// is never the one that the reader is entitled to find.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ramie::stack::detail {

struct segment_range {
  std::byte* begin = nullptr;
  std::size_t slots = 0;
  std::size_t slot_size = 0;
  std::size_t guard_size = 0;
  std::uint32_t first_index = 0;  ///< of its first slot within the arena, for stagger()
};

template <std::size_t Capacity, class Provider>
class segment_table {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  /// Returns the entry's number, or Capacity if the table is full. Any thread; takes a lock.
  [[nodiscard]] std::size_t add(const segment_range& segment) {
    const std::scoped_lock lock(m_writers);
    const std::size_t used = m_used.load(std::memory_order_relaxed);
    std::size_t free = 0;
    while (free < used && m_entries[free].slots.load(std::memory_order_relaxed) != 0) ++free;
    if (free == Capacity) return free;
    write(m_entries[free], segment);
    // [R6] release: a reader that sees the larger count sees the entry; pairs with [R7]. Weaker: it would look at an
    // empty entry, and miss a segment whose stack it was told of by other means. Kept: those other means order the
    // entry, too.
    if (free == used) m_used.store(used + 1, std::memory_order_release);
    return free;
  }

  /// Any thread; takes a lock.
  void remove(std::size_t number) {
    const std::scoped_lock lock(m_writers);
    write(m_entries[number], {});
  }

  /// Keeps others from changing the table. Any thread; for fork().
  void lock() { m_writers.lock(); }
  void unlock() { m_writers.unlock(); }

  /// Calls matches(segment) until it is true for one. Any thread, also in a signal handler: takes no lock, and does not
  /// wait.
  template <class Matches>
  [[nodiscard]] bool find(Matches&& matches) const {
    const std::size_t used = m_used.load(std::memory_order_acquire);  // [R7] acquire, pairs with [R6]; as that, Kept
    for (std::size_t i = 0; i < used; ++i) {
      segment_range segment;
      if (read(m_entries[i], segment) && matches(segment)) return true;
    }
    return false;
  }

 private:
  struct entry {
    atomic<std::uint64_t> version{0};  // odd while the fields change
    atomic<std::byte*> begin{nullptr};
    atomic<std::size_t> slots{0};  // 0: free
    atomic<std::size_t> slot_size{0};
    atomic<std::size_t> guard_size{0};
    atomic<std::uint32_t> first_index{0};
  };

  // Under the lock.
  static void write(entry& to, const segment_range& from) {
    const std::uint64_t version = to.version.load(std::memory_order_relaxed);
    // [R1] relaxed is enough, for every store of a field below releases it: pairs with [R4].
    to.version.store(version + 1, std::memory_order_relaxed);
    // [R2] release: a thread that reads a new field [R4] then finds the odd version, or a later one, at [R5], and gives
    // up. Weaker: it could take the old version for unchanged and mix two segments. (Instead of the usual fence, which
    // TSan does not understand; registration is not hot.)
    to.begin.store(from.begin, std::memory_order_release);
    to.slots.store(from.slots, std::memory_order_release);
    to.slot_size.store(from.slot_size, std::memory_order_release);
    to.guard_size.store(from.guard_size, std::memory_order_release);
    to.first_index.store(from.first_index, std::memory_order_release);
    // [R3] release: publishes the fields; pairs with [R4a]. Weaker: an even version with old fields.
    to.version.store(version + 2, std::memory_order_release);
  }

  static bool read(const entry& from, segment_range& to) {
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

  std::array<entry, Capacity> m_entries{};
  atomic<std::size_t> m_used{0};  // entries from here on were never written
  lock_of<Provider> m_writers;
};

}  // namespace ramie::stack::detail
