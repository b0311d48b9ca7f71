// The queues that the typed tests run over, and what differs between them.
#pragma once

#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/locked.hpp>
#include <ramie/queue/work_queue.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace ramie::queue::test {

struct chase_lev_kind {
  template <class Item>
  using of = chase_lev<Item>;
  static constexpr bool owner_takes_newest = true;
  static constexpr std::size_t capacity = std::numeric_limits<std::size_t>::max();
};

struct locked_kind {
  template <class Item>
  using of = locked<Item>;
  static constexpr bool owner_takes_newest = true;
  static constexpr std::size_t capacity = std::numeric_limits<std::size_t>::max();
};

struct fifo_lane_kind {
  template <class Item>
  using of = fifo_lane<Item>;
  static constexpr bool owner_takes_newest = false;
  static constexpr std::size_t capacity = fifo_lane<int>::capacity;
};

/// So small that nearly every push meets a full ring, and nearly every cell is reused while a thief looks at it.
struct tiny_lane_kind {
  template <class Item>
  using of = fifo_lane<Item, 4>;
  static constexpr bool owner_takes_newest = false;
  static constexpr std::size_t capacity = 4;
};

using kinds = ::testing::Types<chase_lev_kind, locked_kind, fifo_lane_kind, tiny_lane_kind>;

struct kind_names {
  template <class Kind>
  static std::string GetName(int) {
    if (std::is_same_v<Kind, chase_lev_kind>) return "chase_lev";
    if (std::is_same_v<Kind, locked_kind>) return "locked";
    if (std::is_same_v<Kind, fifo_lane_kind>) return "fifo_lane";
    return "tiny_lane";
  }
};

}  // namespace ramie::queue::test
