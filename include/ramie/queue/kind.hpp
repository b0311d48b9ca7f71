// The kinds of queue that can be chosen at run time, by name, and what can be set about them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ramie::queue {

/// The names of --queue and options.queue.
enum class kind {
  global,     ///< one queue under one lock for all workers, three priorities, oldest first: what work stealing replaced
  locked,     ///< a deque under a lock, the baseline of those that are stolen from
  abp,        ///< Arora, Blumofe, Plaxton 1998: a fixed array, used up from one end until it is empty
  chase_lev,  ///< Chase, Lev 2005: a ring that grows
  bwos_lifo,  ///< Wang et al. 2023: blocks that belong to the owner or to the thieves; newest first
  bwos_fifo,  ///< the same, oldest first, without its stuck state
  exchange,   ///< a ring with one packed index word for both ends, which everybody moves
  split,      ///< a private part without fences, a public part for thieves, which can move the boundary
};

/// All kinds, in the order of their age.
inline constexpr std::array all_kinds{kind::global,    kind::locked,    kind::abp,      kind::chase_lev,
                                      kind::bwos_lifo, kind::bwos_fifo, kind::exchange, kind::split};

[[nodiscard]] constexpr std::string_view name_of(kind which) {
  switch (which) {
    case kind::global: return "global";
    case kind::locked: return "locked";
    case kind::abp: return "abp";
    case kind::chase_lev: return "chase_lev";
    case kind::bwos_lifo: return "bwos_lifo";
    case kind::bwos_fifo: return "bwos_fifo";
    case kind::exchange: return "exchange";
    case kind::split: return "split";
  }
  return {};
}

/// None: there is no such kind.
[[nodiscard]] constexpr std::optional<kind> kind_of(std::string_view name) {
  for (const kind each : all_kinds) {
    if (name_of(each) == name) return each;
  }
  return std::nullopt;
}

/// Whether the owner takes the newest item first, as fork and join need it.
[[nodiscard]] constexpr bool takes_newest_first(kind which) {
  return which != kind::global && which != kind::bwos_fifo;
}

/// When thieves get what is in a block of a block-based queue.
enum class grant {
  early,     ///< a partly filled block too, as soon as a thief has come in vain
  faithful,  ///< a full block, when the owner leaves it, as published
};

inline constexpr std::size_t most_blocks = 65'536;
inline constexpr std::size_t most_block_entries = 4'095;

/// The blocks of a block-based queue.
struct block_shape {
  std::size_t blocks = 16;   ///< 2 to most_blocks
  std::size_t entries = 64;  ///< of each; 1 to most_block_entries
  grant granting = grant::early;

  bool operator==(const block_shape&) const = default;
};

/// The settings of a queue; each kind takes those that concern it.
struct settings {
  /// Items that a bounded kind (abp, exchange) holds, and that an unbounded one holds before it grows. At least 1;
  /// rounded up to a power of two.
  std::size_t capacity = 1024;
  /// Of bwos_lifo and bwos_fifo, which hold blocks × entries items.
  block_shape blocks{};

  bool operator==(const settings&) const = default;
};

}  // namespace ramie::queue
