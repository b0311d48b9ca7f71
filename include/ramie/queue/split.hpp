// A deque in two parts: a private one, where the owner pushes and pops without a fence, and a public one, from which
// thieves take with one CAS. LIFO for the owner, FIFO for thieves; unbounded.
//
// The idea of two parts is that of Dinan et al. ("Scalable Work Stealing", SC 2009), Acar, Charguéraud, Rainey
// ("Scheduling Parallel Programs by Work Stealing with Private Deques", PPoPP 2013) and van Dijk, van de Pol ("Lace:
// Non-blocking Split Deque for Work-Stealing", Euro-Par 2014). There a thief that finds the public part empty must wait
// until the owner looks at a flag: an owner that is deep in one task starves it. Here it asks, and if it is not
// answered it moves the boundary itself:
//
//   indices   top            top + count = boundary            bottom
//               | public: thieves | private: the owner           |
//
//   m_public  {top: 42 bits, count: 22}. Thieves take the oldest k: {top + k, count - k}. The owner gives: {top, 0} ->
//             {top, k}; takes back the newest: {top, count} -> {top, count - k}; and takes the last: {top, 1} -> {top +
//             1, 0}. A count of `revoking` says that a thief is about to give on the owner's behalf. Only ever changed
//             by read-modify-writes.
//   m_floor   the owner takes [m_floor, m_bottom) without asking anyone. It is the boundary; or `asked`, larger
//             than any index, where a thief wants something: one comparison tells the owner both.
//   m_bottom, the array pointer and m_limit are written by the owner.
//
// Asking (thieves): a thief that finds nothing public and something private sets m_floor to `asked` and m_limit to 0.
// The owner's next push or pop notices and gives half of the private part: a push also its own item. A pop that finds
// no other item than its own gives nothing, and the next push answers. While thieves take all that they are given, each
// push gives without being asked; when the owner has to take a gift back, that is over.
//
// Revoking (thieves, one at a time): after `patience` looks in vain a thief sets count to `revoking`, m_floor to
// `asked`, makes a heavy fence (membarrier(2): the owner pays nothing until it happens), and then reads m_bottom. A
// pop lowers m_bottom, then reads m_floor, with a light fence between; so either the thief sees the lowered m_bottom,
// or the owner sees `asked`, and then cancels by a CAS on m_public before it takes anything. If the thief's own CAS
// succeeds, nothing that it counted has been taken, and half of it becomes public. So no thief starves while there is
// work, whatever the owner does; and the owner waits for nobody: where it meets a thief that the kernel has stopped in
// the middle, it cancels. (Other thieves are refused meanwhile, unless the owner comes by.)
//
// The last item goes through the CAS on m_public as soon as it is public; while it is private only the owner takes it.
//
// ABA: {top, count} with count > 0 occurs once. The owner gives only where count is 0, so until it is 0 again count
// only falls; and it becomes 0 only together with a larger top. (That is why the owner takes the last one by moving
// top.) So a CAS proves that the cells read before it still hold the items, for batches too. top wraps after 2^42
// takings: a thief would have to stand still during exactly so many, twelve hours at the fastest.
//
// Reclamation: as in chase_lev, outgrown arrays live as long as the deque.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/min_max.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/growing_array.hpp>
#include <ramie/queue/work_queue.hpp>

#include <cstdint>
#include <limits>

namespace ramie::queue {

template <queue_item Item, class Provider = native_provider>
class split {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using value_type = Item;

  /// Room for `capacity` items, rounded up to a power of two, before the first growth. `first` is the index of the
  /// first item, 0 or more; tests begin before top wraps. Throws std::bad_alloc.
  explicit split(std::size_t capacity = 1024, std::int64_t first = 0)
      : m_public(packed(static_cast<std::uint64_t>(first), 0)), m_bottom(first), m_floor(first), m_items(capacity) {
    static_cast<void>(Provider::light_fences_are_free());  // found out before the first of them
    use_ring(first);
  }

  /// One in whose place another queue is used: push_quickly and pop_quickly are false, nothing else may be called.
  struct unused_t {};
  explicit split(unused_t /*tag*/) : m_public(0), m_bottom(0), m_floor(0), m_items(2) {}

  split(const split&) = delete;
  split& operator=(const split&) = delete;

  /// Owner. Always true. Throws std::bad_alloc if the deque had to grow and could not; nothing was pushed then.
  bool push_bottom(Item item) {
    const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed);
    if (bottom >= m_limit.load(std::memory_order_relaxed)) [[unlikely]] {
      push_slowly(bottom, item);
    } else {
      push_at(bottom, item);
    }
    return true;
  }

  /// Owner. The part of push_bottom that needs no call. False: there is more to do, nothing was pushed.
  bool push_quickly(Item item) {
    const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed);
    if (bottom >= m_limit.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    push_at(bottom, item);
    return true;
  }

  /// Owner. Newest first.
  std::optional<Item> pop_bottom() {
    // One way out with an item, from where compilers keep the optional in registers.
    std::int64_t last = m_bottom.load(std::memory_order_relaxed) - 1;
    if (!take_private(last)) [[unlikely]] {
      last = take_other();
      if (last == nothing) return std::nullopt;
    }
    return m_cells[last & m_mask].load(std::memory_order_relaxed);
  }

  /// Owner, when pop_quickly was false: the rest of pop_bottom.
  std::optional<Item> pop_slowly() {
    const std::int64_t last = take_other();
    if (last == nothing) return std::nullopt;
    return m_cells[last & m_mask].load(std::memory_order_relaxed);
  }

  /// Owner. The part of pop_bottom that needs no call. False: there is more to do, or nothing left.
  bool pop_quickly(Item& into) {
    const std::int64_t last = m_bottom.load(std::memory_order_relaxed) - 1;
    if (!take_private(last)) [[unlikely]]
      return false;
    into = m_cells[last & m_mask].load(std::memory_order_relaxed);
    return true;
  }

  /// Owner. Oldest first.
  std::optional<Item> pop_oldest() {
    for (;;) {
      const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed);
      std::uint64_t word = m_public.load(std::memory_order_relaxed);
      if (has_public(word)) {
        // relaxed: the owner's own cell, and nothing is published.
        const Item oldest = m_cells[static_cast<std::int64_t>(top_of(word)) & m_mask].load(std::memory_order_relaxed);
        if (m_public.compare_exchange_strong(word, packed(top_of(word) + 1, count_of(word) - 1),
                                             std::memory_order_relaxed, std::memory_order_relaxed)) {
          if (count_of(word) == 1) m_owes = false;
          return oldest;
        }
      } else if (beyond(top_of(word), bottom) == 0) {
        return std::nullopt;
      } else {
        settle(bottom, 1);
      }
    }
  }

  /// Any thread. Oldest first. lost_race also says that the owner has been asked for something: if it does not answer,
  /// a call soon afterwards helps itself. Waits about a microsecond where it asks, ten where it helps itself.
  steal_result<Item> pop_top() {
    Item item{};
    const batch_result taken = pop_top_batch(std::span<Item>(&item, 1));
    return {taken.status, item};
  }

  /// Any thread. One CAS, however many.
  batch_result pop_top_batch(std::span<Item> out) {
    if (out.empty()) return {};
    // [S3] acquire: pairs with [S4], [S9]: the cells of the gift are seen. Weaker: a stale cell is taken.
    std::uint64_t word = m_public.load(std::memory_order_acquire);
    if (!has_public(word)) [[unlikely]] {
      const steal_status found = look_further(word);
      if (found != steal_status::item) return {found, 0};
    }
    const std::uint64_t taken = detail::min_of<std::uint64_t>(out.size(), (count_of(word) + 1) / 2);
    auto* const items = m_items.of_thief();
    const auto top = static_cast<std::int64_t>(top_of(word));
    for (std::uint64_t i = 0; i < taken; ++i) {
      out[i] = items->cell(top + static_cast<std::int64_t>(i)).load(std::memory_order_relaxed);
    }
    // [S5] release, so that the cells have been read before the owner reuses them; pairs with [S6]. Kept, though models
    // do not see it: they never delay a load past a later store. Failure is relaxed: nothing is read after it.
    if (!m_public.compare_exchange_strong(word, packed(top_of(word) + taken, count_of(word) - taken),
                                          std::memory_order_release, std::memory_order_relaxed)) {
      return {steal_status::lost_race, 0};
    }
    return {steal_status::item, taken};
  }

  [[nodiscard]] std::size_t size() const {
    // relaxed: a guess by the time it is read. An item that a pop has announced is not counted; the pop takes one, that
    // or another.
    const std::uint64_t word = m_public.load(std::memory_order_relaxed);
    return static_cast<std::size_t>(
        detail::max_of<std::int64_t>(beyond(top_of(word), m_bottom.load(std::memory_order_relaxed)), 0));
  }

  [[nodiscard]] bool stealable() const { return size() != 0; }

 private:
  static constexpr unsigned count_bits = 22;
  static constexpr std::uint64_t revoking = (std::uint64_t{1} << count_bits) - 1;
  static constexpr std::uint64_t most_public = revoking - 1;
  static constexpr std::int64_t asked = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t nothing = -1;  // no index
  // Looks in vain before a thief helps itself. Together they last about as long as that costs.
  static constexpr int patience = 4;

  static constexpr std::uint64_t packed(std::uint64_t top, std::uint64_t count) { return (top << count_bits) | count; }
  static constexpr std::uint64_t top_of(std::uint64_t word) { return word >> count_bits; }
  static constexpr std::uint64_t count_of(std::uint64_t word) { return word & revoking; }
  static constexpr bool has_public(std::uint64_t word) { return count_of(word) != 0 && count_of(word) != revoking; }
  /// How many indices lie from `top`, which wraps, to `bottom`, which does not. Negative while an empty deque is
  /// popped.
  static constexpr std::int64_t beyond(std::uint64_t top, std::int64_t bottom) {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(bottom) - top) << count_bits) >> count_bits;
  }

  [[gnu::always_inline]] void push_at(std::int64_t bottom, Item item) {
    m_cells[bottom & m_mask].store(item, std::memory_order_relaxed);
    // [S1] release: publishes the cell, the array and the item's target, to a thief that revokes; pairs with [S8].
    // Weaker: it gives away cells that thieves do not see.
    m_bottom.store(bottom + 1, std::memory_order_release);
  }

  /// Owner: takes the newest item, whose index is `last`. False: it is not private, or a thief has asked.
  [[gnu::always_inline]] bool take_private(std::int64_t last) {
    if (last < m_floor.load(std::memory_order_relaxed)) return false;
    m_bottom.store(last, std::memory_order_release);  // [S2] release, as [S1]: a thief may read this store instead
    // [S14] light fence: the item is announced as taken before m_floor is read; pairs with [S15]. Weaker: the thief
    // counts the item, the owner does not see that it is asked, and both take it.
    Provider::fence_light();
    if (last >= m_floor.load(std::memory_order_relaxed)) [[likely]]
      return true;
    m_bottom.store(last + 1, std::memory_order_release);  // [S2]
    return false;
  }

  /// Owner, after take_private(): the index of the item taken, or `nothing`. An empty deque is found empty without a
  /// look at the thieves' cache line.
  std::int64_t take_other() {
    return m_floor.load(std::memory_order_relaxed) == m_drained ? nothing : take_past_boundary();
  }

  /// Owner. Answers thieves, and takes back public items where no others are left.
  [[gnu::noinline]] std::int64_t take_past_boundary() {
    for (;;) {
      const std::int64_t bottom = m_bottom.load(std::memory_order_relaxed);
      std::int64_t floor = m_floor.load(std::memory_order_relaxed);
      if (floor == asked) floor = settle(bottom, 0);
      if (floor < bottom) {
        if (take_private(bottom - 1)) return bottom - 1;
        continue;
      }
      std::uint64_t word = m_public.load(std::memory_order_relaxed);
      const std::uint64_t count = count_of(word);
      if (count == revoking) {
        settle(bottom, 0);
      } else if (count == 0) {
        m_drained = floor;
        return nothing;
      } else if (count == 1) {
        if (m_public.compare_exchange_strong(word, packed(top_of(word) + 1, 0), std::memory_order_relaxed,
                                             std::memory_order_relaxed)) {
          m_drained = floor;
          m_owes = false;
          return bottom - 1;
        }
      } else if (m_public.compare_exchange_strong(word, packed(top_of(word), count - count / 2),
                                                  std::memory_order_relaxed, std::memory_order_relaxed)) {
        // [S13] acquire, as [S7].
        if (m_floor.exchange(floor - static_cast<std::int64_t>(count / 2), std::memory_order_acquire) == asked) {
          settle(bottom, 0);
        }
      }
    }
  }

  /// Owner, where a thief has asked or may as well have: gives half of the private part, cancels a revocation, and puts
  /// the boundary back into m_floor, which it returns (where there was nothing to give, the next push answers).
  /// `round_up`: 1 where the owner goes on to something else, 0 where it wants one.
  [[gnu::noinline]] std::int64_t settle(std::int64_t bottom, std::int64_t round_up) {
    for (;;) {
      std::uint64_t word = m_public.load(std::memory_order_relaxed);
      const std::uint64_t count = count_of(word) == revoking ? 0 : count_of(word);
      bool answered = count != 0;
      std::int64_t floor = bottom - (beyond(top_of(word), bottom) - static_cast<std::int64_t>(count));
      if (count == 0) {
        const std::uint64_t gift =
            detail::min_of(static_cast<std::uint64_t>((bottom - floor + round_up) / 2), most_public);
        // [S4] release: publishes the cells; pairs with [S3].
        if (word != packed(top_of(word), gift) &&
            !m_public.compare_exchange_strong(word, packed(top_of(word), gift), std::memory_order_release,
                                              std::memory_order_relaxed)) {
          continue;
        }
        floor += static_cast<std::int64_t>(gift);
        answered = gift != 0;
      }
      // A gift of all that there is: a thief that has taken it by the next push gets that, too, without asking.
      m_owes = !answered || floor == bottom;
      if (answered) m_looks.store(0, std::memory_order_relaxed);
      if (m_owes) m_limit.store(0, std::memory_order_relaxed);
      // [S7] acquire: pairs with [S10]: whose `asked` this overwrites may be revoking, and the next look at m_public
      // shows that. Weaker: the owner goes on below a boundary that the thief then moves.
      if (m_floor.exchange(floor, std::memory_order_acquire) != asked) return floor;
    }
  }

  /// Any thread that found nothing public: asks, and waits a moment. item: now there is something, in `word`.
  [[gnu::noinline]] steal_status look_further(std::uint64_t& word) {
    const std::uint32_t looks = m_looks.load(std::memory_order_relaxed);
    if (looks == 0) {
      if (beyond(top_of(word), m_bottom.load(std::memory_order_relaxed)) <= 0) return steal_status::empty;
      m_limit.store(0, std::memory_order_relaxed);  // may be overwritten: then the next pop notices
      // A read-modify-write: a thief that revokes may have written it before, and the owner must see that too, by [S7].
      m_floor.exchange(asked, std::memory_order_relaxed);
    }
    m_looks.store(looks + 1, std::memory_order_relaxed);
    if (looks > static_cast<std::uint32_t>(Provider::spins(patience))) return revoke(word);
    // Meanwhile only the thieves' line is looked at.
    for (int i = Provider::spins(64); i > 0; --i) {
      Provider::pause();
      word = m_public.load(std::memory_order_acquire);  // [S3]
      if (has_public(word)) return steal_status::item;
    }
    return steal_status::lost_race;
  }

  /// Any thread: gives half of the private part, on the owner's behalf.
  steal_status revoke(std::uint64_t& word) {
    if (beyond(top_of(word), m_bottom.load(std::memory_order_relaxed)) <= 0) {
      m_looks.store(0, std::memory_order_relaxed);
      return steal_status::empty;
    }
    // [S11] acquire: the thief before has had its last word on m_public; pairs with [S12]. Weaker: it finishes our
    // revocation, which the owner has not seen yet.
    if (m_revoker.exchange(true, std::memory_order_acquire)) return steal_status::lost_race;
    word = m_public.load(std::memory_order_relaxed);
    bool nothing = false;
    std::uint64_t found = 0;
    if (count_of(word) == 0 && m_public.compare_exchange_strong(word, packed(top_of(word), revoking),
                                                                std::memory_order_relaxed, std::memory_order_relaxed)) {
      m_floor.store(asked, std::memory_order_release);  // [S10] release: the CAS before; pairs with [S7]
      Provider::fence_heavy();                          // [S15], pairs with [S14]
      // [S8] acquire: pairs with [S1], [S2].
      const std::int64_t there = beyond(top_of(word), m_bottom.load(std::memory_order_acquire));
      found = there > 0 ? detail::min_of(static_cast<std::uint64_t>(there + 1) / 2, most_public) : 0;
      nothing = there <= 0;
      std::uint64_t mine = packed(top_of(word), revoking);
      word = packed(top_of(word), found);
      // [S9] release: the cells that [S8] has shown, to other thieves; pairs with [S3].
      if (!m_public.compare_exchange_strong(mine, word, std::memory_order_release, std::memory_order_relaxed)) {
        found = 0;  // the owner has answered
        nothing = false;
      }
    }
    m_looks.store(0, std::memory_order_relaxed);
    // [S12] release: the CAS before; pairs with [S11]. Kept: models never delay a CAS past a later store.
    m_revoker.store(false, std::memory_order_release);
    if (found > 0) return steal_status::item;
    return nothing ? steal_status::empty : steal_status::lost_race;
  }

  /// Owner: there is no room for a push at `bottom`, or a thief has asked; it may have the pushed item.
  [[gnu::noinline]] void push_slowly(std::int64_t bottom, Item item) {
    // [S6] acquire: a thief that moved top has read its cells before we overwrite them; pairs with [S5]. Kept, as that.
    const std::int64_t top = bottom - beyond(top_of(m_public.load(std::memory_order_acquire)), bottom);
    if (bottom - top > m_mask) m_items.grow(top, bottom);
    use_ring(top);
    push_at(bottom, item);
    if (m_owes || m_floor.load(std::memory_order_relaxed) == asked) settle(bottom + 1, 1);
  }

  void use_ring(std::int64_t top) {
    m_cells = &m_items.of_owner()->cell(0);
    m_mask = m_items.of_owner()->capacity() - 1;
    m_limit.store(top + m_mask + 1, std::memory_order_relaxed);
  }

  // Thieves.
  alignas(cache_line_size) atomic<std::uint64_t> m_public;
  atomic<std::uint32_t> m_looks{0};  // since the owner was asked; a rough number
  atomic<bool> m_revoker{false};     // one thief at a time

  // The owner; thieves write m_floor, rarely.
  alignas(cache_line_size) atomic<std::int64_t> m_bottom;
  atomic<std::int64_t> m_floor;
  atomic<std::int64_t> m_limit{0};  // where push calls push_slowly(); 0: a thief has asked
  atomic<Item>* m_cells = nullptr;  // the owner's ring
  std::int64_t m_mask = 0;
  bool m_owes = false;               // a thief has asked when there was nothing to give
  std::int64_t m_drained = nothing;  // the boundary at which nothing was public: top has reached it
  growing_array<Item, Provider> m_items;
};

}  // namespace ramie::queue
