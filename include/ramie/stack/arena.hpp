// All the stacks of one size that a runtime has.
#pragma once

#include <ramie/stack/config.hpp>
#include <ramie/stack/memory.hpp>
#include <ramie/stack/registry.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace ramie::stack {

/// Reserves address space in large segments (MAP_NORESERVE, no huge pages), cuts them into slots of config.size,
///
///     | guard | usable ................................ top | stagger |     one slot; the next one follows
///     begin   bottom                                                  begin + size
///
/// and lends the slots out. The kernel commits a page when a fiber first touches it, so an untouched stack costs
/// nothing but its guard's page-table entry, and a blocked fiber usually one page.
///
/// This is the slow path behind the workers' own pools: callers take and return batches. Every member may be called
/// by any thread; acquire and release hold a mutex for a few nanoseconds a stack, or for an mmap when a segment is
/// added, and make their other system calls outside it.
class arena {
 public:
  /// Throws bad_option for sizes that cannot work, spawn_error if a forced guard does not work here. Reserves nothing.
  explicit arena(const config& wanted = {});
  /// Unmaps everything. No stack may be in use by a fiber any more.
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Fills `out` from the front with guarded stacks, as many as it can get, and returns how many: at least one unless
  /// `out` is empty. Released stacks first, then never-used ones. All bytes of a stack read as zero, unless a release
  /// could not give it back (memory locked by mlockall).
  /// Throws spawn_error naming the limit that was hit (vm.max_map_count, RLIMIT_AS, overcommit, address space,
  /// max_stacks) and how to raise it; then nothing was acquired. Blocks the kernel thread, for microseconds.
  /// Cost per stack (Zen 4 virtual machine, Linux 6.18): 0.5 to 0.8 us for the guard of a never-used one, 10 ns for a
  /// released one, whose guard stays; the fiber's first touch of its top page costs it 1.5 us more, most of it the
  /// kernel's page allocation. (Touching the tops of a batch beforehand with MADV_POPULATE_WRITE was measured, and
  /// gains nothing: 1.57 us against 1.55.)
  std::size_t acquire(std::span<memory> out);

  /// Takes stacks back, gives their pages to the kernel and keeps guard and address range for reuse. Nobody may run
  /// on them or read them any more. Cost: about 0.6 us a stack. Aborts if one is not in use here.
  void release(std::span<const memory> stacks) noexcept;

  /// Bytes of the stack, measured from its top, that have been touched since it was acquired, in whole pages below the
  /// top one. Cost: one mincore(2) for each MiB of stack up to the deepest touched page, about 2 us for 256 KiB.
  /// Pages that have been swapped out count as untouched when they are the deepest.
  [[nodiscard]] std::size_t high_water(const memory& stack) const noexcept;

  [[nodiscard]] usage counts() const;
  /// The rung in use: the weakest that was needed so far.
  [[nodiscard]] guard_kind guards() const noexcept { return m_weakest.load(std::memory_order_relaxed); }
  /// The validated configuration.
  [[nodiscard]] const config& settings() const noexcept { return m_config; }

 private:
  using slot = std::uint32_t;  // counted through all segments
  struct segment {
    detail::segment_range range;
    std::size_t entry = 0;  // in the registry
  };
  struct lent {
    std::size_t count = 0;
    std::size_t guarded = 0;  // the first so many have their guard already
  };
  struct guard_failure {
    guard_kind kind = guard_kind::none;
    int error = 0;
  };

  [[nodiscard]] lent lend(std::span<slot> numbers, std::span<memory> out, int& error);
  [[nodiscard]] bool add_segment(int& error);
  [[nodiscard]] std::size_t install_guards(std::span<const memory> bare, guard_failure& failure);
  void give_back_unguarded(std::span<const slot> numbers) noexcept;
  void release_batch(std::span<const memory> stacks) noexcept;
  void weaken(guard_kind to) noexcept;
  [[nodiscard]] memory memory_of(slot number) const noexcept;
  [[nodiscard]] slot slot_of(const memory& stack) const noexcept;
  [[nodiscard]] bool is_used(slot number) const noexcept { return (m_used[number / 64] >> number % 64 & 1U) != 0; }
  void flip_used(slot number) noexcept { m_used[number / 64] ^= std::uint64_t{1} << number % 64; }

  const config m_config;
  // relaxed everywhere: they say what to try and what to report; nothing is published through them.
  std::atomic<guard_kind> m_rung;     // what new slots get
  std::atomic<guard_kind> m_weakest;  // what some slot had to do with

  mutable std::mutex m_mutex;         // guards everything below
  std::vector<segment> m_segments;    // ascending in slot numbers, not in addresses
  std::vector<slot> m_released;       // these two have capacity for every slot, so that giving back cannot throw
  std::vector<slot> m_bare;           // never used, because their guard was refused
  std::vector<std::uint64_t> m_used;  // one bit a slot: in use
  std::size_t m_next_unused = 0;      // slots from here on have never been handed out
  std::size_t m_reserved = 0;
  std::size_t m_in_use = 0;
  std::size_t m_unguarded = 0;
  std::size_t m_next_segment = 0;  // bytes
};

}  // namespace ramie::stack
