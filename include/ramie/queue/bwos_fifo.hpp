// Block-based work stealing, oldest first for the owner. Bounded.
//
// Wang et al.: "BWoS: Formally Verified Block-based Work Stealing for Parallel Processing" (OSDI 2023). A ring of
// blocks. The owner puts at one end, in `put`, and takes at the other, in `get`, which may be the same block; thieves
// take from the blocks that it has not come to yet. As published, a thief reserved an entry, read it, and counted that
// it had; no block was used again before the count was full, and a thief that stood still between the two left the
// queue full and empty at once. Where this differs:
//   - A thief reads the cell before its CAS on the block's steal word, which has the round: a CAS that succeeds proves
//     that the thief has read the item. There is no count, and no block waits for a thief (0008 in docs/decisions).
//   - Early grant: a thief that finds nothing though there is something sets `hungry`; the owner's next push or pop
//     gives it the newer half of what the owner holds, a single item too at a push. As published (`faithful`), the
//     items of the block at the front are the owner's alone, and they may be all there are.
//
// Layout: per block `committed` {round, index}, written by the owner: entries [0, index) have been put in this round;
// and the steal word {round, next, end}: thieves take [next, min(end, index)). They move `next` by CAS; the owner
// writes the word only where nothing is left in it, or by an exchange. `own`, written by the owner alone: {front,
// limit, rest, moves}: of `get` it holds [front, limit) and [rest, index), where limit and rest at the last entry mean
// "up to what has been put" and "none". The entries in between are, or were, the thieves'. `moves` is odd while items
// change hands and grows each time, so that size() notices. `hint` is where thieves begin to look.
//
// A block: put (round r, {r, 0, end}) -> thieves take -> the owner comes to it and takes over what is left -> it may
// give part of it back -> takes over again, ... -> all is gone, `get` passes on -> it may be put anew, in
// another round. An owner that finds nothing at all begins its block anew.
//
// The last item: the owner's exchange and a thief's CAS on the steal word come one after the other. No thief sees the
// items that the owner holds.
//
// ABA: every use of a block has a new round, and in it each entry has one item, which is put before the word says that
// thieves may have it. A word {r, n, e} that comes again in the same round means the same items, still there. A thief
// would have to stand still between its look and its CAS for 2^40 uses of blocks, hours at least, to meet another round
// of the same number.
//
// Reclamation: blocks live as long as the queue.
//
// Not promised: an owner that touches its queue no more keeps its part of the block, also with early grant (`split` is
// for that). A block counts as used until all of it is gone: a push may be refused before blocks × entries items are
// there. With early grant thieves do not take the oldest items.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/block_ring.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/queue/work_queue.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ramie::queue {

template <queue_item Item, class Provider = native_provider>
class bwos_fifo {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using value_type = Item;

  /// Throws std::invalid_argument, std::bad_alloc.
  explicit bwos_fifo(const block_shape& shape = {})
      : m_ring(shape),
        m_early(shape.granting == grant::early),
        m_own(owner_word(0, shape.entries, shape.entries).bits),
        m_get(&m_ring.header(0)),
        m_put(&m_ring.header(0)),
        m_entries(shape.entries) {}
  bwos_fifo(const bwos_fifo&) = delete;
  bwos_fifo& operator=(const bwos_fifo&) = delete;

  /// Owner. False: the next block has items left. Nothing was pushed then.
  bool push_bottom(Item item) {
    header& into = *m_put;
    const put_word committed = put_in(into);
    // hungry relaxed: a request; if it is seen late the thief asks again.
    if (committed.index() == m_entries || m_hungry.load(std::memory_order_relaxed)) [[unlikely]] {
      return push_slowly(item);
    }
    put(into, committed, item);
    return true;
  }

  /// Owner. Oldest first.
  std::optional<Item> pop_bottom() {
    const owner_word own = load_own();
    header& get = *m_get.load(std::memory_order_relaxed);
    // Not an optional passed on whole: gcc would store its halves and load both at once, which no store buffer
    // forwards.
    if (own.front() == held(get, own) || m_hungry.load(std::memory_order_relaxed)) [[unlikely]] {
      if (Item item; pop_slowly(item)) return item;
      return std::nullopt;
    }
    return take_first(get, own);
  }

  /// Owner, after a pop: whether that has given thieves something. They may sleep, and a pop wakes nobody otherwise.
  [[nodiscard]] bool gave() { return std::exchange(m_gave, false); }

  /// Any thread. lost_race: another thief was faster, or the owner has been asked for items.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread. At most half of the thieves' part of one block, by one CAS.
  batch_result pop_top_batch(std::span<Item> out) {
    if (out.empty()) return {};
    const std::size_t first = m_hint.load(std::memory_order_relaxed);
    std::size_t block = first;
    do {
      header& at = m_ring.header(block);
      // relaxed: a stale word makes the CAS fail, or has another round than `committed`.
      const block_range seen(at.steal.load(std::memory_order_relaxed));
      // [G5] acquire: the cells, and what the items point to; pairs with [G4]. Weaker: a stale cell.
      const put_word committed(at.committed.load(std::memory_order_acquire));
      const std::size_t available = available_to_thieves(seen, committed);
      if (available != 0) {
        const std::size_t count = std::min<std::size_t>(out.size(), (available + 1) / 2);
        for (std::size_t i = 0; i < count; ++i) {
          // May be a later round's by now: the CAS fails then.
          out[i] = ring::cells(at)[seen.next() + i].load(std::memory_order_relaxed);
        }
        std::uint64_t expected = seen.bits();
        // [G6] release: the cells were read before the owner uses them again; pairs with [G7], [G8], [G13], [G14].
        // Kept: models never delay a load past a later store. On failure nothing of what was read is used.
        if (!at.steal.compare_exchange_strong(expected, seen.without_first(count).bits(), std::memory_order_release,
                                              std::memory_order_relaxed)) {
          return {steal_status::lost_race, 0};
        }
        if (block != first) m_hint.store(block, std::memory_order_relaxed);
        return {steal_status::item, count};
      }
      block = m_ring.after(block);
    } while (block != first);
    if (!m_early || size() == 0) return {};
    if (!m_hungry.load(std::memory_order_relaxed)) m_hungry.store(true, std::memory_order_relaxed);
    return {steal_status::lost_race, 0};
  }

  [[nodiscard]] std::size_t size() const {
    // [G3] acquire: the words of the blocks as they were when items last changed hands; pairs with [G1], [G2]. Weaker:
    // items that the owner has given are missed.
    const owner_word before(m_own.load(std::memory_order_acquire));
    // [G11] acquire: if `get` has passed on since, `own` is seen to be on the move; pairs with [G12]. Weaker: the
    // owner's part of one block is looked for in the next, and nothing is found though there was never nothing.
    const header& get = *m_get.load(std::memory_order_acquire);
    const std::uint64_t index = put_in(get).index();
    std::size_t total = before.held_of(index, m_entries);
    for (std::size_t i = 0; i < m_ring.blocks(); ++i) {
      const header& at = m_ring.header(i);
      // [G9] acquire: that items are on the move; pairs with [G8], [G10]. Weaker: items taken over are missed.
      const block_range range(at.steal.load(std::memory_order_acquire));
      // relaxed: not stale about a push that happened before.
      total += available_to_thieves(range, put_word(at.committed.load(std::memory_order_relaxed)));
    }
    const owner_word after(m_own.load(std::memory_order_relaxed));
    // Items on the move may have been missed, or seen twice. All that can be said is that there are some.
    return before.moves() == after.moves() && !before.moving() ? total : 1;
  }

  [[nodiscard]] bool stealable() const {
    // Where the owner has been asked already, thieves may as well sleep: the push that answers wakes them, and so must
    // a pop that does: see gave().
    if (m_early && !m_hungry.load(std::memory_order_relaxed)) return size() != 0;
    for (std::size_t i = 0; i < m_ring.blocks(); ++i) {
      const header& at = m_ring.header(i);
      // relaxed: not stale about a push that happened before.
      const block_range range(at.steal.load(std::memory_order_relaxed));
      if (available_to_thieves(range, put_word(at.committed.load(std::memory_order_relaxed))) != 0) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned width = block_range::index_bits;
  static constexpr std::uint64_t mask = block_range::index_mask;

  // {round:52, index:12}; of the round, the steal word has 40 bits.
  struct put_word {
    std::uint64_t bits;
    constexpr explicit put_word(std::uint64_t all) : bits(all) {}
    constexpr put_word(std::uint64_t round, std::uint64_t index) : bits(round << width | index) {}
    [[nodiscard]] std::uint64_t round() const { return bits >> width; }
    [[nodiscard]] std::uint64_t index() const { return bits & mask; }
    [[nodiscard]] put_word with_one_more() const { return put_word(bits + 1); }
  };

  // {moves:28, rest:12, limit:12, front:12}
  struct owner_word {
    static constexpr std::uint64_t one_move = std::uint64_t{1} << (3 * width);
    std::uint64_t bits;

    constexpr explicit owner_word(std::uint64_t all) : bits(all) {}
    constexpr owner_word(std::uint64_t front, std::uint64_t limit, std::uint64_t rest)
        : bits(rest << (2 * width) | limit << width | front) {}
    [[nodiscard]] std::uint64_t front() const { return bits & mask; }
    [[nodiscard]] std::uint64_t limit() const { return bits >> width & mask; }
    [[nodiscard]] std::uint64_t rest() const { return bits >> (2 * width) & mask; }
    [[nodiscard]] std::uint64_t moves() const { return bits / one_move; }
    [[nodiscard]] bool moving() const { return (bits & one_move) != 0; }
    [[nodiscard]] owner_word without_first() const { return owner_word(bits + 1); }
    [[nodiscard]] owner_word with_one_more_move() const { return owner_word(bits + one_move); }
    // With the other's moves.
    [[nodiscard]] owner_word with_moves_of(owner_word other) const {
      return owner_word(other.bits / one_move * one_move | bits);
    }
    // How much of a block the owner holds.
    [[nodiscard]] std::size_t held_of(std::uint64_t index, std::uint64_t entries) const {
      const std::uint64_t end = limit() == entries ? index : limit();
      return (end > front() ? end - front() : 0) + (index > rest() ? index - rest() : 0);
    }
  };

  struct alignas(cache_line_size) header {
    explicit header(std::size_t entries) : steal(block_range(0, entries, entries).bits()) {}
    atomic<std::uint64_t> committed{0};
    alignas(cache_line_size) atomic<std::uint64_t> steal;
  };
  using ring = block_ring<header, Item, Provider>;

  static std::size_t available_to_thieves(block_range range, put_word committed) {
    if (range.tag() != (committed.round() & block_range::tag_mask)) return 0;
    const std::uint64_t end = std::min(range.end(), committed.index());
    return end > range.next() ? end - range.next() : 0;
  }

  [[nodiscard]] owner_word load_own() const { return owner_word(m_own.load(std::memory_order_relaxed)); }
  [[nodiscard]] static put_word put_in(const header& block) {
    return put_word(block.committed.load(std::memory_order_relaxed));
  }
  // The end of the part that the owner may take without asking.
  [[nodiscard]] static std::uint64_t held(const header& get, owner_word own) {
    return std::min(own.limit(), put_in(get).index());
  }
  [[nodiscard]] std::uint64_t taken_over(const header& block) const {
    return block_range(put_in(block).round(), m_entries, m_entries).bits();
  }

  // Items change hands, or `get` moves on, between these two.
  void begin_move() { m_own.store(load_own().with_one_more_move().bits, std::memory_order_relaxed); }
  void end_move(owner_word now) {
    // [G2] release: the words of the blocks and `get` are as they are; pairs with [G3].
    m_own.store(now.with_moves_of(load_own()).with_one_more_move().bits, std::memory_order_release);
  }

  static void put(header& into, put_word committed, Item item) {
    ring::cells(into)[committed.index()].store(item, std::memory_order_relaxed);
    // [G4] release: publishes the cell and what the item points to; pairs with [G5].
    into.committed.store(committed.with_one_more().bits, std::memory_order_release);
  }

  Item take_first(header& get, owner_word own) {
    // [G1] release: size() must not find nothing here and an old steal word; pairs with [G3]. ([G2] is not enough: a
    // relaxed store after it is not in its release sequence.)
    m_own.store(own.without_first().bits, std::memory_order_release);
    return ring::cells(get)[own.front()].load(std::memory_order_relaxed);
  }

  [[gnu::noinline]] bool push_slowly(Item item) {
    const bool fits = put_in(*m_put).index() != m_entries || advance();
    if (fits) put(*m_put, put_in(*m_put), item);
    if (m_hungry.load(std::memory_order_relaxed)) static_cast<void>(give_half());
    return fits;
  }

  [[gnu::noinline]] bool pop_slowly(Item& into) {
    if (!find_front()) {
      restart();
      return false;
    }
    into = take_first(*m_get.load(std::memory_order_relaxed), load_own());
    if (m_hungry.load(std::memory_order_relaxed)) m_gave = give_half();
    return true;
  }

  // The block that is put in is full: goes on to the next, if all that was in it is gone.
  bool advance() {
    const std::size_t next = m_ring.after(m_put_block);
    if (next == m_get_block) {
      if (!used_up()) return false;
      pass_on();
    }
    // Thieves look from the hint onwards: it must not lie between the newest items and the oldest.
    if (m_hint.load(std::memory_order_relaxed) == next) m_hint.store(m_ring.after(next), std::memory_order_relaxed);
    m_put_block = next;
    m_put = &m_ring.header(next);
    // relaxed, both: a thread that sees one without the other finds two rounds, and one that sees an item put has seen
    // these.
    m_put->steal.store(block_range(++m_round, 0, m_entries).bits(), std::memory_order_relaxed);
    m_put->committed.store(put_word(m_round, 0).bits, std::memory_order_relaxed);
    return true;
  }

  // Nothing is left, and the owner holds the block: it begins anew, so that an empty queue has room for everything.
  void restart() {
    if (put_in(*m_put).index() == 0) return;
    // relaxed, all: there is nothing that anybody could miss.
    m_put->committed.store(put_word(++m_round, 0).bits, std::memory_order_relaxed);
    m_put->steal.store(taken_over(*m_put), std::memory_order_relaxed);
    m_own.store(owner_word(0, m_entries, m_entries).with_moves_of(load_own()).bits, std::memory_order_relaxed);
  }

  // Of a full block.
  [[nodiscard]] bool used_up() const {
    const owner_word own = load_own();
    const header& get = *m_get.load(std::memory_order_relaxed);
    if (own.front() != own.limit() || own.rest() != m_entries) return false;
    // [G7] acquire: a thief has read its items before we overwrite them; pairs with [G6], and Kept as that one.
    return block_range(get.steal.load(std::memory_order_acquire)).empty();
  }

  // To the next block, of which thieves may have taken any number.
  void pass_on() {
    begin_move();
    m_get_block = m_ring.after(m_get_block);
    // [G12] release: that `own` is on the move; pairs with [G11].
    m_get.store(&m_ring.header(m_get_block), std::memory_order_release);
    end_move(owner_word(0, 0, m_entries));
  }

  // Makes [front, limit) begin with the oldest item. False: there is none.
  bool find_front() {
    for (;;) {
      const owner_word own = load_own();
      header& get = *m_get.load(std::memory_order_relaxed);
      if (own.front() != held(get, own)) return true;
      // [G13] acquire: as [G7], Kept. Only the owner changes a word whose next is at the end.
      if (block_range(get.steal.load(std::memory_order_acquire)).next() != m_entries) {
        begin_move();
        // [G8] acquire: as [G7], Kept. Release: that items are on the move; pairs with [G9]. Weaker: size() finds them
        // in neither place.
        const block_range got(get.steal.exchange(taken_over(get), std::memory_order_acq_rel));
        end_move(owner_word(got.next(), got.end(), got.end() == m_entries ? m_entries : own.rest()));
      } else if (own.limit() != m_entries) {
        begin_move();
        end_move(owner_word(own.rest(), m_entries, m_entries));
      } else if (&get == m_put) {
        return false;
      } else {
        pass_on();
      }
    }
  }

  // Thieves have asked. They get the newest of the owner's items in its block: those put after the thieves' part was
  // used up, or else half of the rest. False: the items that they ask for are there already, or there is nothing to
  // give.
  bool give_half() {
    const owner_word own = load_own();
    header& get = *m_get.load(std::memory_order_relaxed);
    const put_word committed = put_in(get);
    // [G14] acquire: as [G7], Kept. Once nothing is left, only the owner changes that.
    const block_range given(get.steal.load(std::memory_order_acquire));
    if (available_to_thieves(given, committed) != 0) {
      m_hungry.store(false, std::memory_order_relaxed);
      return false;
    }
    // The thieves' part is used up. If it went to the end, items put from here on are no longer theirs.
    std::uint64_t limit = own.limit();
    std::uint64_t rest = own.rest();
    if (given.next() != m_entries && given.end() == m_entries) rest = given.next();
    if (limit == rest) limit = rest = m_entries;
    std::uint64_t from = 0;
    std::uint64_t to = m_entries;
    if (rest < committed.index()) {
      from = std::exchange(rest, m_entries);
    } else {
      to = limit;
      const std::uint64_t end = std::min(limit, committed.index());
      if (end == own.front()) return false;  // the owner holds nothing, and the request stands
      from = limit = own.front() + (end - own.front()) / 2;
    }
    m_hungry.store(false, std::memory_order_relaxed);
    m_hint.store(m_get_block, std::memory_order_relaxed);
    begin_move();
    // [G10] release: that items are on the move; pairs with [G9]. No thief writes a word that says nothing is left.
    get.steal.store(block_range(committed.round(), from, to).bits(), std::memory_order_release);
    end_move(owner_word(own.front(), limit, rest));
    return true;
  }

  const ring m_ring;
  const bool m_early;
  alignas(cache_line_size) atomic<std::size_t> m_hint{0};
  alignas(cache_line_size) atomic<bool> m_hungry{false};
  alignas(cache_line_size) atomic<std::uint64_t> m_own;
  atomic<header*> m_get;
  // Owner only:
  bool m_gave = false;
  header* m_put;
  std::size_t m_entries;
  std::size_t m_get_block = 0;
  std::size_t m_put_block = 0;
  std::uint64_t m_round = 0;
};

}  // namespace ramie::queue
