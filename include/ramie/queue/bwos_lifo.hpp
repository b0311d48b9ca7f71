// Block-based work stealing, newest first for the owner. Bounded.
//
// Wang et al.: "BWoS: Formally Verified Block-based Work Stealing for Parallel Processing" (OSDI 2023). A ring of
// blocks. The owner works at the end of its current block, the thieves in blocks that it has left: they meet only where
// a block changes hands. Where this differs:
//   - A thief reads the cell before its CAS on the block's steal word, which has a version: a CAS that succeeds proves
//     that the thief has read the item. So nobody counts finished steals, and no block waits for a thief (0008 in
//     docs/decisions).
//   - A steal word has both ends of the thieves' part, so that part of a block can be granted.
//   - Early grant: a thief that finds nothing though there is something sets `hungry`; the owner's next push or pop
//     grants the older half of what it holds, a single item too at a push.
//   - A push may use its own block again where all of it is gone, and a pop goes back over blocks that are used up.
//
// Layout: per block a steal word {version, next, end}: entries [next, end) may be stolen. Thieves move `next` by CAS,
// by several entries for a batch; the owner grants and takes back. `own`, written by the owner alone: {back, front,
// some block may have granted items, moves}. [front, back) of the current block is the owner's: its push and pop are
// loads and stores of this word and of a cell. `moves` is odd while items change hands and grows each time, so that
// size() notices. `hint` is where thieves begin to look.
//
// Invariant: if the granted part of the current block is not empty, it ends at `front`; in every older block it ends at
// the last entry; all other blocks have none. So between the oldest item and the newest there are no items but these.
//
// The last item is either the owner's, which no thief sees, or granted; then owner and thieves meet at the steal word,
// where the owner's exchange and a thief's CAS come one after the other.
//
// ABA: a word that was exhausted is granted anew under a new version, and under one version `next` only grows. A thief
// would have to stand still between its look and its CAS for 2^40 grants of the queue, hours at least, and the same
// entries would have to be granted then.
//
// Reclamation: blocks live as long as the queue.
//
// Not promised: an owner that touches its queue no more keeps its private part, also with early grant (`split` is for
// that). A block counts as used until all of it is gone: a push may be refused before blocks × entries items are there.
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
class bwos_lifo {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using value_type = Item;

  /// Throws std::invalid_argument, std::bad_alloc.
  explicit bwos_lifo(const block_shape& shape = {})
      : m_ring(shape),
        m_early(shape.granting == grant::early),
        m_cells(ring::cells(m_ring.header(0))),
        m_entries(m_ring.entries()) {}
  bwos_lifo(const bwos_lifo&) = delete;
  bwos_lifo& operator=(const bwos_lifo&) = delete;

  /// Owner. False: the next block has items left. Nothing was pushed then.
  bool push_bottom(Item item) {
    const owner_word own = load_own();
    // hungry relaxed: a request; if it is seen late the thief asks again.
    if (own.back() == m_entries || m_hungry.load(std::memory_order_relaxed)) [[unlikely]]
      return push_slowly(item);
    m_cells[own.back()].store(item, std::memory_order_relaxed);  // published by [B1], [B2]
    // relaxed: a reader of this counts one item at least; see [B11].
    m_own.store(own.with_one_more().bits, std::memory_order_relaxed);
    return true;
  }

  /// Owner. Newest first.
  std::optional<Item> pop_bottom() {
    const owner_word own = load_own();
    // Not an optional passed on whole: gcc would store its halves and load both at once, which no store buffer
    // forwards.
    if (own.count() == 0 || m_hungry.load(std::memory_order_relaxed)) [[unlikely]] {
      if (Item item; pop_slowly(item)) return item;
      return std::nullopt;
    }
    // [B11] release: size() must not find nothing here and an old steal word; pairs with [B8]. ([B9] is not enough: a
    // relaxed store after it is not in its release sequence.)
    m_own.store(own.with_one_less().bits, std::memory_order_release);
    return m_cells[own.back() - 1].load(std::memory_order_relaxed);
  }

  /// Owner, after a pop: whether it has given thieves something. They may sleep, and a pop wakes nobody otherwise.
  [[nodiscard]] bool gave() { return std::exchange(m_gave, false); }

  /// Any thread. Oldest first where nobody else is at work. lost_race: another thief was faster, or the owner has been
  /// asked for items.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread. At most half of the granted items of one block, by one CAS.
  batch_result pop_top_batch(std::span<Item> out) {
    if (out.empty()) return {};
    const std::size_t first = m_hint.load(std::memory_order_relaxed);
    std::size_t block = first;
    do {
      header& at = m_ring.header(block);
      // [B3] acquire: the cells, and what the items point to; pairs with [B1], [B2]. Weaker: a stale cell.
      const block_range seen(at.steal.load(std::memory_order_acquire));
      if (!seen.empty()) {
        const std::size_t count = std::min<std::size_t>(out.size(), (seen.size() + 1) / 2);
        for (std::size_t i = 0; i < count; ++i) {
          // May be a later item by now: the CAS fails then.
          out[i] = ring::cells(at)[seen.next() + i].load(std::memory_order_relaxed);
        }
        std::uint64_t expected = seen.bits();
        // [B4] release: the cells were read before the owner uses them again; pairs with [B5], [B6], [B7], [B12]. Kept:
        // models never delay a load past a later store. On failure nothing of what was read is used.
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
    // [B8] acquire: the steal words as they were when items last changed hands; pairs with [B9]. Weaker: items that the
    // owner has granted are missed, or a block that it has taken back counts twice.
    const owner_word before(m_own.load(std::memory_order_acquire));
    if (!before.granted()) return before.count();
    std::size_t total = before.count();
    for (std::size_t i = 0; i < m_ring.blocks(); ++i) {
      // [B10] acquire: that items are on the move; pairs with [B1], [B2], [B5]. Weaker: items taken back are missed.
      total += block_range(m_ring.header(i).steal.load(std::memory_order_acquire)).size();
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
      // relaxed: not stale about a grant that happened before.
      if (!block_range(m_ring.header(i).steal.load(std::memory_order_relaxed)).empty()) return true;
    }
    return false;
  }

 private:
  struct alignas(cache_line_size) header {
    explicit header(std::size_t /*entries*/) {}
    atomic<std::uint64_t> steal{0};
  };
  using ring = block_ring<header, Item, Provider>;

  // {moves:39, granted:1, front:12, back:12}
  struct owner_word {
    static constexpr unsigned width = block_range::index_bits;
    static constexpr std::uint64_t mask = block_range::index_mask;
    static constexpr std::uint64_t granted_bit = std::uint64_t{1} << (2 * width);
    static constexpr std::uint64_t one_move = granted_bit << 1U;
    std::uint64_t bits;

    constexpr explicit owner_word(std::uint64_t all) : bits(all) {}
    [[nodiscard]] std::uint64_t back() const { return bits & mask; }
    [[nodiscard]] std::uint64_t front() const { return bits >> width & mask; }
    [[nodiscard]] std::size_t count() const { return back() - front(); }
    [[nodiscard]] bool granted() const { return (bits & granted_bit) != 0; }
    [[nodiscard]] std::uint64_t moves() const { return bits / one_move; }
    [[nodiscard]] bool moving() const { return (bits & one_move) != 0; }
    [[nodiscard]] owner_word with_one_more() const { return owner_word(bits + 1); }
    [[nodiscard]] owner_word with_one_less() const { return owner_word(bits - 1); }
    [[nodiscard]] owner_word with_one_more_move() const { return owner_word(bits + one_move); }
    [[nodiscard]] owner_word with(std::uint64_t front, std::uint64_t back, bool granted) const {
      return owner_word(bits / one_move * one_move | (granted ? granted_bit : 0) | front << width | back);
    }
  };

  [[nodiscard]] owner_word load_own() const { return owner_word(m_own.load(std::memory_order_relaxed)); }

  // Items change hands between these two.
  void begin_move() { m_own.store(load_own().with_one_more_move().bits, std::memory_order_relaxed); }
  void end_move(std::uint64_t front, std::uint64_t back, bool granted) {
    // [B9] release: the steal words are as they are; pairs with [B8].
    m_own.store(load_own().with(front, back, granted).with_one_more_move().bits, std::memory_order_release);
  }

  [[gnu::noinline]] bool push_slowly(Item item) {
    owner_word own = load_own();
    const bool fits = own.back() != m_entries || advance(own);
    if (fits) {
      m_cells[own.back()].store(item, std::memory_order_relaxed);
      m_own.store(own.with_one_more().bits, std::memory_order_relaxed);
    }
    if (m_hungry.load(std::memory_order_relaxed)) static_cast<void>(grant_half());
    return fits;
  }

  [[gnu::noinline]] bool pop_slowly(Item& into) {
    if (load_own().count() == 0 && !take_over()) return false;
    const owner_word own = load_own();
    m_own.store(own.with_one_less().bits, std::memory_order_release);  // as [B11]
    into = m_cells[own.back() - 1].load(std::memory_order_relaxed);
    if (m_hungry.load(std::memory_order_relaxed)) m_gave = grant_half();
    return true;
  }

  // The current block is filled to its end: makes room at the beginning of a block, if there is one.
  bool advance(owner_word& own) {
    // [B6] acquire: a thief has read its items before we overwrite them; pairs with [B4], and Kept as that one.
    if (own.count() == 0 && block_range(m_ring.header(m_current).steal.load(std::memory_order_acquire)).empty()) {
      own = own.with(0, 0, own.granted());
      return true;
    }
    const std::size_t next = m_ring.after(m_current);
    // [B7] acquire: as [B6], Kept.
    if (!block_range(m_ring.header(next).steal.load(std::memory_order_acquire)).empty()) return false;
    // Thieves look from the hint onwards: it must not lie between the newest items and the oldest.
    if (m_hint.load(std::memory_order_relaxed) == next) m_hint.store(m_ring.after(next), std::memory_order_relaxed);
    begin_move();
    if (own.count() != 0) give_up_to(own, m_entries);
    m_behind = std::min(m_behind + 1, m_ring.blocks() - 1);
    enter(next);
    end_move(0, 0, true);
    own = load_own();
    return true;
  }

  // Thieves have asked. False: there is nothing to give.
  bool grant_half() {
    const owner_word own = load_own();
    if (own.count() == 0) return false;  // the request stands
    m_hungry.store(false, std::memory_order_relaxed);
    const std::uint64_t middle = own.front() + (own.count() + 1) / 2;
    begin_move();
    give_up_to(own, middle);
    end_move(middle, own.back(), true);
    return true;
  }

  // [own.front(), end) of the current block is the thieves' from here on.
  void give_up_to(owner_word own, std::uint64_t end) {
    atomic<std::uint64_t>& steal = m_ring.header(m_current).steal;
    for (;;) {
      // [B12] acquire: as [B6], Kept.
      std::uint64_t seen = steal.load(std::memory_order_acquire);
      if (block_range(seen).empty()) break;
      // [B2] release: as [B1]; pairs with [B3], [B10]. Thieves move the other end at the same time.
      if (steal.compare_exchange_weak(seen, block_range(seen).up_to(end).bits(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
        return;
      }
    }
    // [B1] release: publishes the cells and what the items point to; pairs with [B3], and with [B10]: see begin_move().
    // No thief writes a word that says nothing is left.
    steal.store(block_range(++m_version, own.front(), end).bits(), std::memory_order_release);
  }

  // The newest of what has been granted and not been stolen becomes the owner's again.
  bool take_over() {
    if (!load_own().granted()) {
      m_own.store(load_own().with(0, 0, false).bits, std::memory_order_relaxed);  // the whole block is room again
      return false;
    }
    begin_move();
    std::size_t block = m_current;
    for (std::size_t distance = 0; distance <= m_behind; ++distance, block = m_ring.before(block)) {
      atomic<std::uint64_t>& steal = m_ring.header(block).steal;
      // relaxed: once nothing is left, only the owner changes that.
      if (block_range(steal.load(std::memory_order_relaxed)).empty()) continue;
      // [B5] acquire: as [B6], Kept. Release: that items are on the move; pairs with [B10] in size(). Weaker: size()
      // finds them in neither place.
      const block_range got(steal.exchange(block_range().bits(), std::memory_order_acq_rel));
      if (got.empty()) continue;
      m_behind -= distance;
      enter(block);
      end_move(got.next(), got.end(), m_behind != 0);
      return true;
    }
    m_behind = 0;
    end_move(0, 0, false);
    return false;
  }

  void enter(std::size_t block) {
    m_current = block;
    m_cells = ring::cells(m_ring.header(block));
  }

  const ring m_ring;
  const bool m_early;
  alignas(cache_line_size) atomic<std::size_t> m_hint{0};
  alignas(cache_line_size) atomic<bool> m_hungry{false};
  alignas(cache_line_size) atomic<std::uint64_t> m_own{0};
  // Owner only:
  bool m_gave = false;
  atomic<Item>* m_cells;
  std::size_t m_entries;
  std::size_t m_current = 0;
  std::size_t m_behind = 0;  // so many blocks before the current one may have granted items
  std::uint64_t m_version = 0;
};

}  // namespace ramie::queue
