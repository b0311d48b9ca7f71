// The block-based queues for the typed tests.
#pragma once

#include <ramie/queue/bwos_fifo.hpp>
#include <ramie/queue/bwos_lifo.hpp>

#include <cstddef>

namespace ramie::queue::test {

/// Default-constructible in this shape.
template <class Queue, std::size_t Blocks, std::size_t Entries, grant Granting>
class of_shape : public Queue {
 public:
  of_shape() : Queue(block_shape{Blocks, Entries, Granting}) {}
};

template <bool Newest, std::size_t Blocks, std::size_t Entries, grant Granting = grant::early>
struct bwos_kind {
  template <class Item>
  using of = of_shape<std::conditional_t<Newest, bwos_lifo<Item>, bwos_fifo<Item>>, Blocks, Entries, Granting>;
  static constexpr bool owner_takes_newest = Newest;
  static constexpr std::size_t capacity = Blocks * Entries;
  static constexpr bool thieves_see_all = false;   // not what the owner holds
  static constexpr bool capacity_is_exact = false;  // a block that is not used up counts whole
};

using bwos_lifo_kind = bwos_kind<true, 16, 64>;
using bwos_lifo_2_of_1_kind = bwos_kind<true, 2, 1>;
using bwos_lifo_4_of_1_kind = bwos_kind<true, 4, 1>;
using bwos_lifo_5_of_3_kind = bwos_kind<true, 5, 3>;
using bwos_lifo_faithful_kind = bwos_kind<true, 4, 4, grant::faithful>;
using bwos_fifo_kind = bwos_kind<false, 16, 64>;
using bwos_fifo_2_of_1_kind = bwos_kind<false, 2, 1>;
using bwos_fifo_4_of_1_kind = bwos_kind<false, 4, 1>;
using bwos_fifo_5_of_3_kind = bwos_kind<false, 5, 3>;
using bwos_fifo_faithful_kind = bwos_kind<false, 4, 4, grant::faithful>;

}  // namespace ramie::queue::test
