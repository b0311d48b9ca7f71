// The request for an arena, and what the arena says of itself.
#pragma once

#include <ramie/base/units.hpp>
#include <ramie/stack/memory.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

namespace ramie::stack {

/// How an overflow is caught. The rungs of a ladder, best first.
enum class guard_kind {
  guard_install,  ///< MADV_GUARD_INSTALL, Linux 6.13: a page-table marker; no mapping is split, so no limit applies
  mprotect,       ///< PROT_NONE: two mappings a stack, so vm.max_map_count (65530) allows about 32,700 stacks
  none,           ///< an overflow silently overwrites the stack below
};
[[nodiscard]] std::string_view to_string(guard_kind kind) noexcept;

enum class guard_policy {
  required,         ///< a stack that cannot be guarded is a spawn_error that names the limit
  allow_unguarded,  ///< it is handed out unguarded instead, and counted in usage::unguarded
};

/// The guard of a runtime's stacks of this size: 40 KiB, or a quarter of smaller ones, in whole pages. The C library
/// does not step over 40 KiB: its largest frame is one of 33,312 bytes (glibc 2.36: vfwprintf to an unbuffered stream),
/// the next ones have 18,600 (fnmatch), 16,400 (strxfrm) and 13,960 (strtold). libstdc++ (gcc 12) has none of 3,000.
/// Frames that grow with an argument, as that of printing with a precision of 100,000, have no largest one.
[[nodiscard]] bytes usual_guard(bytes stack_size) noexcept;

struct config {
  /// Address space of one stack, its guard included; rounded up to whole pages. 16 KiB to 64 GiB. Only touched pages
  /// cost memory. A power of two lets 2 MiB of neighbours share one page-table page.
  bytes size{std::size_t{256} << 10U};
  /// Rounded up to whole pages; at least one, and at least two usable pages must remain. A frame larger than the guard
  /// may step over it unless it was compiled with -fstack-clash-protection. (One page, in an arena by itself: what a
  /// runtime takes is usual_guard().)
  bytes guard_size{page_size};
  guard_policy guard = guard_policy::required;
  /// For tests: take this rung, whatever the kernel can do. The constructor throws spawn_error where it cannot.
  std::optional<guard_kind> force_guard{};
  /// More stacks than this in use at once are a spawn_error that names max_stacks.
  std::size_t max_stacks = std::numeric_limits<std::size_t>::max();
  /// Address space is reserved in segments of this size, each twice its predecessor up to the largest.
  bytes first_segment{std::size_t{64} << 20U};
  bytes largest_segment{std::size_t{64} << 30U};
};

/// A snapshot. Slots are counted in stacks.
struct usage {
  std::size_t in_use = 0;     ///< acquired and not released
  std::size_t released = 0;   ///< came back, hold no memory, ready for reuse
  std::size_t reserved = 0;   ///< all slots that have address space: in use, released, or never used
  std::size_t unguarded = 0;  ///< handed out without a guard, ever
  std::size_t segments = 0;   ///< reservations
  bytes address_space{};      ///< of all segments
};

/// A config with sizes rounded up to whole pages. Throws bad_option, naming the option, the value and the range.
[[nodiscard]] config validated(config wanted);

}  // namespace ramie::stack
