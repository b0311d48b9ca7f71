// The FIFO queue as published (Wang et al., OSDI 2023), for comparison only: it can get stuck.
//
// A thief takes in two steps: it reserves an entry by a CAS on the block's reserved position, then reads the entry and
// adds one to the block's count of stolen entries. A block is put into again only when that count is full. The two
// steps are two functions here, so that a test can stop a thief between them. Without the count (Counted is false), a
// block is used again while a thief has yet to read its entry.
//
// All positions are {version, index}; the version is the round. Orders are those of the paper's invariants: what is put
// is released by `committed`, what is read is released by the count.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/queue/work_queue.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace ramie::queue::test {

template <queue_item Item, std::size_t Blocks, std::size_t Entries, bool Counted = true,
          class Provider = native_provider>
class published_bwos_fifo {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  /// An entry that is a thief's, and that it has not read yet.
  struct reservation {
    std::size_t block = 0;
    std::uint64_t index = 0;
  };

  published_bwos_fifo() {
    block& first = m_blocks[0];
    first.committed.store(at(1, 0), std::memory_order_relaxed);
    first.consumed = at(1, 0);
    first.reserved.store(at(1, Entries), std::memory_order_relaxed);
    first.stolen.store(at(1, Entries), std::memory_order_relaxed);
  }

  /// Owner.
  bool push_bottom(Item item) {
    std::uint64_t committed = m_blocks[m_put].committed.load(std::memory_order_relaxed);
    if (index(committed) == Entries) {
      const std::size_t next = (m_put + 1) % Blocks;
      const std::uint64_t round = version(committed) + (next == 0 ? 1 : 0);
      block& into = m_blocks[next];
      if (into.consumed != at(round - 1, Entries)) return false;
      if (Counted && into.stolen.load(std::memory_order_acquire) != at(round - 1, Entries)) return false;
      into.stolen.store(at(round, 0), std::memory_order_relaxed);
      into.committed.store(at(round, 0), std::memory_order_relaxed);
      into.reserved.store(at(round, 0), std::memory_order_release);
      m_put = next;
      committed = at(round, 0);
    }
    block& into = m_blocks[m_put];
    into.cells[index(committed)].store(item, std::memory_order_relaxed);
    into.committed.store(committed + 1, std::memory_order_release);
    return true;
  }

  /// Owner.
  std::optional<Item> pop_bottom() {
    for (;;) {
      block& from = m_blocks[m_get];
      if (index(from.consumed) != Entries) {
        if (from.consumed == from.committed.load(std::memory_order_relaxed)) return std::nullopt;
        return from.cells[index(from.consumed++)].load(std::memory_order_relaxed);
      }
      const std::size_t next = (m_get + 1) % Blocks;
      const std::uint64_t round = version(from.consumed) + (next == 0 ? 1 : 0);
      block& other = m_blocks[next];
      if (version(other.reserved.load(std::memory_order_relaxed)) != round) return std::nullopt;
      other.consumed = other.reserved.exchange(at(round, Entries), std::memory_order_acq_rel);
      other.stolen.fetch_add(Entries - index(other.consumed), std::memory_order_relaxed);
      m_get = next;
    }
  }

  /// Any thread: the first step of a steal.
  std::optional<reservation> begin_steal() {
    const std::size_t first = m_steal.load(std::memory_order_relaxed);
    std::size_t each = first;
    do {
      block& from = m_blocks[each];
      std::uint64_t reserved = from.reserved.load(std::memory_order_acquire);
      const std::uint64_t committed = from.committed.load(std::memory_order_acquire);
      if (reserved < committed && version(reserved) == version(committed)) {
        if (!from.reserved.compare_exchange_strong(reserved, reserved + 1, std::memory_order_acq_rel,
                                                   std::memory_order_relaxed)) {
          return std::nullopt;
        }
        m_steal.store(each, std::memory_order_relaxed);
        return reservation{each, index(reserved)};
      }
      each = (each + 1) % Blocks;
    } while (each != first);
    return std::nullopt;
  }

  /// The same thread: the second step.
  Item finish_steal(reservation of) {
    block& from = m_blocks[of.block];
    const Item item = from.cells[of.index].load(std::memory_order_relaxed);
    from.stolen.fetch_add(1, std::memory_order_release);
    return item;
  }

  /// Any thread.
  std::optional<Item> pop_top() {
    const std::optional<reservation> mine = begin_steal();
    if (!mine) return std::nullopt;
    return finish_steal(*mine);
  }

 private:
  static constexpr std::uint64_t at(std::uint64_t version, std::uint64_t index) { return version << 32U | index; }
  static constexpr std::uint64_t version(std::uint64_t position) { return position >> 32U; }
  static constexpr std::uint64_t index(std::uint64_t position) { return position & 0xffff'ffffU; }

  struct block {
    atomic<std::uint64_t> committed{at(0, Entries)};
    std::uint64_t consumed = at(0, Entries);  // owner only
    atomic<std::uint64_t> reserved{at(0, Entries)};
    atomic<std::uint64_t> stolen{at(0, Entries)};
    std::array<atomic<Item>, Entries> cells{};
  };

  std::array<block, Blocks> m_blocks{};
  atomic<std::size_t> m_steal{0};
  std::size_t m_put = 0;  // owner only, as the next
  std::size_t m_get = 0;
};

}  // namespace ramie::queue::test
