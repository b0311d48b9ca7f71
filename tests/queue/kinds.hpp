// The queues that the typed tests run over, and what differs between them.
#pragma once

#include <ramie/queue/abp.hpp>
#include <ramie/queue/any_queue.hpp>
#include <ramie/queue/bwos_fifo.hpp>
#include <ramie/queue/bwos_lifo.hpp>
#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/exchange.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/global.hpp>
#include <ramie/queue/locked.hpp>
#include <ramie/queue/split.hpp>
#include <ramie/queue/work_queue.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace ramie::queue::test {

/// The properties of most queues; a kind names its differences.
struct usual {
  static constexpr bool owner_takes_newest = true;
  /// The most items that fit.
  static constexpr std::size_t capacity = std::numeric_limits<std::size_t>::max();
  /// Whether a push is refused only where `capacity` items are in the queue.
  static constexpr bool capacity_is_exact = true;
  /// Whether thieves may have every item, or some are for the owner alone.
  static constexpr bool thieves_see_all = true;
  /// Whether thieves take the oldest item that is there, or only the oldest of those that they may have.
  static constexpr bool thieves_take_oldest = true;
  /// So many items must be popped from a full queue before there is room.
  static constexpr std::int64_t room_unit = 1;
};

template <class Queue, std::size_t Capacity>
class sized : public Queue {
 public:
  sized() : Queue(Capacity) {}
};

struct chase_lev_kind : usual {
  static constexpr const char* name = "chase_lev";
  template <class Item>
  using of = chase_lev<Item>;
};

struct split_kind : usual {
  static constexpr const char* name = "split";
  template <class Item>
  using of = split<Item>;
};

/// Grows again and again.
struct tiny_split_kind : split_kind {
  static constexpr const char* name = "tiny_split";
  template <class Item>
  using of = sized<split<Item>, 2>;
};

struct locked_kind : usual {
  static constexpr const char* name = "locked";
  template <class Item>
  using of = locked<Item>;
};

struct global_kind : usual {
  static constexpr const char* name = "global";
  template <class Item>
  using of = global<Item>;
  static constexpr bool owner_takes_newest = false;
};

struct fifo_lane_kind : usual {
  static constexpr const char* name = "fifo_lane";
  template <class Item>
  using of = fifo_lane<Item>;
  static constexpr bool owner_takes_newest = false;
  static constexpr std::size_t capacity = fifo_lane<int>::capacity;
};

/// So small that nearly every push meets a full ring, and nearly every cell is reused while a thief looks at it.
struct tiny_lane_kind : fifo_lane_kind {
  static constexpr const char* name = "tiny_lane";
  template <class Item>
  using of = fifo_lane<Item, 4>;
  static constexpr std::size_t capacity = 4;
};

struct abp_kind : usual {
  static constexpr const char* name = "abp";
  template <class Item>
  using of = abp<Item>;
  static constexpr std::size_t capacity = 1024;
  static constexpr bool capacity_is_exact = false;
};

struct tiny_abp_kind : abp_kind {
  static constexpr const char* name = "tiny_abp";
  static constexpr std::size_t capacity = 4;
  template <class Item>
  using of = sized<abp<Item>, capacity>;
};

struct exchange_kind : usual {
  static constexpr const char* name = "exchange";
  template <class Item>
  using of = exchange<Item>;
  static constexpr std::size_t capacity = 1024;
};

struct tiny_exchange_kind : exchange_kind {
  static constexpr const char* name = "tiny_exchange";
  static constexpr std::size_t capacity = 4;
  template <class Item>
  using of = sized<exchange<Item>, capacity>;
};

/// In this shape. Thieves get what the owner has granted; a block with anything left in it is no room.
template <class Queue, std::size_t Blocks, std::size_t Entries, grant Granting>
class shaped : public Queue {
 public:
  shaped() : Queue(block_shape{Blocks, Entries, Granting}) {}
};

template <std::size_t Blocks, std::size_t Entries, grant Granting = grant::early>
struct bwos_lifo_kind : usual {
  template <class Item>
  using of = shaped<bwos_lifo<Item>, Blocks, Entries, Granting>;
  static constexpr std::size_t capacity = Blocks * Entries;
  static constexpr bool capacity_is_exact = false;
  static constexpr bool thieves_see_all = false;
};

template <std::size_t Blocks, std::size_t Entries, grant Granting = grant::early>
struct bwos_fifo_kind : bwos_lifo_kind<Blocks, Entries, Granting> {
  template <class Item>
  using of = shaped<bwos_fifo<Item>, Blocks, Entries, Granting>;
  static constexpr bool owner_takes_newest = false;
  static constexpr bool thieves_take_oldest = false;
  static constexpr std::int64_t room_unit = Entries;
};

// clang-format off
struct default_bwos_lifo_kind : bwos_lifo_kind<16, 64> { static constexpr const char* name = "bwos_lifo"; };
struct bwos_lifo_2_of_1_kind : bwos_lifo_kind<2, 1> { static constexpr const char* name = "bwos_lifo_2_of_1"; };
struct bwos_lifo_4_of_1_kind : bwos_lifo_kind<4, 1> { static constexpr const char* name = "bwos_lifo_4_of_1"; };
struct bwos_lifo_2_of_3_kind : bwos_lifo_kind<2, 3> { static constexpr const char* name = "bwos_lifo_2_of_3"; };
struct faithful_bwos_lifo_kind : bwos_lifo_kind<4, 4, grant::faithful> {
  static constexpr const char* name = "faithful_bwos_lifo";
};
struct default_bwos_fifo_kind : bwos_fifo_kind<16, 64> { static constexpr const char* name = "bwos_fifo"; };
struct bwos_fifo_2_of_1_kind : bwos_fifo_kind<2, 1> { static constexpr const char* name = "bwos_fifo_2_of_1"; };
struct bwos_fifo_4_of_1_kind : bwos_fifo_kind<4, 1> { static constexpr const char* name = "bwos_fifo_4_of_1"; };
struct bwos_fifo_2_of_3_kind : bwos_fifo_kind<2, 3> { static constexpr const char* name = "bwos_fifo_2_of_3"; };
struct faithful_bwos_fifo_kind : bwos_fifo_kind<4, 4, grant::faithful> {
  static constexpr const char* name = "faithful_bwos_fifo";
};
// clang-format on

#ifdef RAMIE_TEST_FEWER_KINDS
// Under sanitizers, every day: each queue in the shape in which most happens.
using kinds = ::testing::Types<bwos_lifo_2_of_1_kind, faithful_bwos_lifo_kind, bwos_fifo_2_of_1_kind,
                               faithful_bwos_fifo_kind, chase_lev_kind, tiny_split_kind, locked_kind, global_kind,
                               tiny_lane_kind, tiny_abp_kind, tiny_exchange_kind>;
#else
using kinds =
    ::testing::Types<default_bwos_lifo_kind, bwos_lifo_2_of_1_kind, bwos_lifo_4_of_1_kind, bwos_lifo_2_of_3_kind,
                     faithful_bwos_lifo_kind, default_bwos_fifo_kind, bwos_fifo_2_of_1_kind, bwos_fifo_4_of_1_kind,
                     bwos_fifo_2_of_3_kind, faithful_bwos_fifo_kind, chase_lev_kind, split_kind, tiny_split_kind,
                     locked_kind, global_kind, fifo_lane_kind, tiny_lane_kind, abp_kind, tiny_abp_kind, exchange_kind,
                     tiny_exchange_kind>;
#endif

struct kind_names {
  template <class Kind>
  static std::string GetName(int) {
    return Kind::name;
  }
};

inline constexpr int patience = 500;

/// pop_top, again while it says lost_race: of a queue that nobody else uses, what there is. Some ask the owner first.
template <class Queue>
auto steal(Queue& queue) {
  auto got = queue.pop_top();
  for (int i = 0; i < patience && got.status == steal_status::lost_race; ++i) got = queue.pop_top();
  return got;
}

template <class Queue>
batch_result steal_batch(Queue& queue, std::span<typename Queue::value_type> out) {
  batch_result got = queue.pop_top_batch(out);
  for (int i = 0; i < patience && got.status == steal_status::lost_race; ++i) got = queue.pop_top_batch(out);
  return got;
}

/// Whether that is a thief's answer where `present` items are in a queue that nobody else uses.
template <class Kind>
bool is_true_of(steal_status answer, std::size_t present) {
  if (answer == steal_status::item) return present != 0;
  // lost_race: the owner has been asked, and does not answer.
  return present == 0 ? answer == steal_status::empty : !Kind::thieves_see_all;
}

}  // namespace ramie::queue::test
