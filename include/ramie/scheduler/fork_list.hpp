// Not for users.
//
// The forks of one fiber that nobody has taken: a list through its stack, from the newest to the oldest.
//
// A fork links a frame that lies on the parent's stack; its join unlinks it and calls the child. Nothing is queued, and
// nobody is told, until somebody wants work: then the oldest fork, which promises most, becomes a task. (Lazy task
// creation: Mohr, Kranz, Halstead, 1991; "the oldest first" and its bounds: Acar, Charguéraud, Guatto, Rainey,
// Sieczkowski, "Heartbeat Scheduling", PLDI 2018.) There the owner alone makes tasks, when it polls. An owner that is
// deep in one leaf would starve everybody for as long; here a thief takes the oldest fork itself:
//
//   m_newest   the list. Only the owner writes it, and there is only one thing that others do to a frame: they set its
//              `older` to `taken`. A taken frame ends the list, whatever lies beyond it: all that is older is taken,
//              too.
//   m_wanted   somebody wants work: the owner looks closer at its next fork or join. Set by anybody, by a
//              read-modify-write; cleared by the owner, as part of its lock. Where light fences cost something it is
//              always set: every fork and join locks then, and no order of theirs hangs on a fence. It is always set,
//              too, where an observer sees every fork, or thieves take continuations.
//   m_keeper   the keeper of the list, which may walk it while the owner might change it: none, or the one thief that
//              asks, or the one that has locked it (owner or thief). With a ticket, so that none of its values occurs
//              twice.
//
// A thief: keeper free → asking; m_wanted; heavy fence; asking → locked; walks; takes. The owner: a fork or join
// changes m_newest, light fence, looks at m_wanted. So either the thief reads what the owner has written, or the owner
// sees that it is wanted, and locks the list before it goes on: it cancels a thief that is still asking, and waits for
// a thief that has locked. Such a thief needs some more loads and stores; a thief that asks may be in a system call.
// Hence no frame ends while a thief looks at it.
//
// Costs: a fork takes two loads, three stores and a branch; a join takes two loads, a store and two branches. Neither
// has a fence or a read-modify-write. A thief that takes a fork itself pays one membarrier(2).
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

/// `Frame` has a member `older`, an atomic of the provider's: the frame below it in the list.
template <class Frame, class Provider = native_provider>
class fork_list {
  template <class T>
  using atomic = typename Provider::template atomic<T>;

 public:
  using provider = Provider;

  /// `always_wanted`: wanted() is always true.
  explicit fork_list(bool always_wanted = false)
      : m_always_wanted(always_wanted || !Provider::light_fences_are_free()), m_wanted(m_always_wanted) {}

  // ---- Owner ----

  /// The value that the next frame's `older` must have when the frame is pushed.
  [[gnu::always_inline]] [[nodiscard]] Frame* newest() const { return m_newest.load(std::memory_order_relaxed); }

  /// Links `newest`, all of whose members have been written. Afterwards ask wanted().
  [[gnu::always_inline]] void push(Frame& newest) {
    // [L1] release: publishes the frame; pairs with [L2]. Weaker: a thief takes a frame that it does not see.
    m_newest.store(&newest, std::memory_order_release);
  }

  /// After a push: whether somebody may want work, so that the owner must lock the list.
  [[gnu::always_inline]] bool wanted() const {
    // [F1] light fence: the change of the list before m_wanted is read; pairs with [F2]. Weaker: a thief walks over a
    // frame that is being left, or sleeps although there is work.
    return Provider::test_after_light_fence_if_free(m_wanted);
  }

  /// Unlinks the newest. False: only under a lock can it be known whether it is still ours. A frame that is taken may
  /// be popped on any worker; nothing of the list is touched then.
  [[gnu::always_inline]] bool pop(Frame& newest) {
    Frame* const older = newest.older.load(std::memory_order_relaxed);
    if (older == taken()) [[unlikely]]
      return false;
    // Release, as [L1]: a thief may read this store instead of a store that pushed an older frame.
    m_newest.store(older, std::memory_order_release);
    return !wanted();
  }

  /// Unlinks the newest, where thieves leave this list alone.
  void take_back(Frame& newest) {
    m_newest.store(newest.older.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  /// Keeps thieves out while it lives.
  class owner_lock {
   public:
    explicit owner_lock(fork_list& on) : m_on(on), m_was_wanted(on.lock()) {}
    owner_lock(const owner_lock&) = delete;
    owner_lock& operator=(const owner_lock&) = delete;
    ~owner_lock() { m_on.unlock(); }

    /// Whether somebody had called want(), which this lock has answered.
    [[nodiscard]] bool was_wanted() const { return m_was_wanted; }

    /// Where pop() was false. True: it is unlinked, and ours.
    [[nodiscard]] bool pop(Frame& newest) {
      Frame* const older = newest.older.load(std::memory_order_relaxed);
      m_on.m_newest.store(older == taken() ? nullptr : older, std::memory_order_relaxed);  // [L6] publishes
      // Another frame may come to lie where this one is.
      if (older == taken()) m_on.m_drained.store(nullptr, std::memory_order_relaxed);
      return older != taken();
    }
    /// The oldest fork; from now on it is the caller's to make a task of. Null: all are taken.
    [[nodiscard]] Frame* take_oldest() { return m_on.detach_oldest(); }
    /// take(frame) for each, the oldest first; the list is empty then. `take` may end the frame.
    template <class Take>
    void take_all(Take&& take) {
      m_on.take_all(take);
    }

   private:
    fork_list& m_on;
    bool m_was_wanted;
  };

  [[nodiscard]] bool empty() const { return newest() == nullptr; }

  // ---- Any thread ----

  /// A guess; never false while there is a fork that was pushed before the call, and that nobody has taken.
  [[nodiscard]] bool stealable() const {
    const Frame* const newest = m_newest.load(std::memory_order_relaxed);
    return newest != nullptr && newest != m_drained.load(std::memory_order_relaxed);
  }

  /// Makes the owner look closer at its next fork or join.
  void want() {
    // relaxed: it says nothing about the caller. A read-modify-write, as [L7] needs it.
    if (!m_wanted.load(std::memory_order_relaxed)) m_wanted.exchange(true, std::memory_order_relaxed);
  }

  /// The same for a sleeper, which has announced its sleep: the owner that answers the request will see the
  /// announcement.
  void want_before_sleep() {
    // [L7] release: the announcement; pairs with [L4]. Weaker: the caller sleeps, its request is answered together with
    // an earlier one, and nobody asks again. So it is written also where the request is there already; and all writes
    // of others are read-modify-writes, for a plain store between this one and [L4] would break its release sequence.
    m_wanted.exchange(true, std::memory_order_release);
  }

  /// Counts a thief's look in vain. Returns the number of such looks since the owner or a thief last took a fork,
  /// roughly.
  [[nodiscard]] std::uint32_t look_in_vain() {
    const std::uint32_t looks = m_looks.load(std::memory_order_relaxed);
    m_looks.store(looks + 1, std::memory_order_relaxed);
    return looks;
  }

  /// Without the owner's help. make(frame) is called before the owner can know that the frame is taken. Null: there is
  /// nothing, or the owner has come by, or another thief is here. Costs a membarrier.
  template <class Make>
  Frame* steal_oldest(Make&& make) {
    std::uint32_t free = m_keeper.load(std::memory_order_relaxed);
    const std::uint32_t asks = next(free, asking);
    // [L5] acquire: the writes of those that had locked before, to frames and to m_wanted; pairs with [L6]. Weaker: an
    // owner's earlier [L4] answers the request that we are about to make, or two thieves take one frame. Kept: the
    // heavy fence makes it an acquire for the frames, and models never delay a load past a later store, as the request
    // would need it.
    if (state_of(free) != nobody ||
        !m_keeper.compare_exchange_strong(free, asks, std::memory_order_acquire, std::memory_order_relaxed)) {
      return nullptr;
    }
    m_wanted.exchange(true, std::memory_order_relaxed);  // a read-modify-write, as [L7] needs it
    Provider::fence_heavy();                             // [F2], pairs with [F1]
    std::uint32_t mine = asks;
    // relaxed: nobody has held since.
    if (!m_keeper.compare_exchange_strong(mine, next(asks, locked), std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
      return nullptr;
    }
    Frame* const oldest = detach_oldest();
    if (oldest != nullptr) make(*oldest);
    unlock();
    return oldest;
  }

 private:
  enum state : std::uint32_t { nobody, asking, locked };
  static constexpr unsigned state_bits = 2;
  static state state_of(std::uint32_t keeper) { return static_cast<state>(keeper & ((1U << state_bits) - 1)); }
  static std::uint32_t next(std::uint32_t keeper, state then) {
    return (((keeper >> state_bits) + 1) << state_bits) | then;
  }
  static Frame* taken() { return reinterpret_cast<Frame*>(std::uintptr_t{1}); }

  bool lock() {
    // [L4] relaxed, but an owner that goes on to look for sleepers must fence between: that makes it an acquire of each
    // [L7] that it answers.
    const bool was_wanted = m_wanted.exchange(m_always_wanted, std::memory_order_relaxed);
    std::uint32_t seen = m_keeper.load(std::memory_order_relaxed);
    for (unsigned round = 1;; ++round) {
      if (state_of(seen) == locked) {
        // Some loads and stores, unless the kernel has just taken the thief off its processor.
        if (round % 64 != 0) {
          Provider::pause();
        } else {
          Provider::yield_thread();
        }
        seen = m_keeper.load(std::memory_order_relaxed);
      } else if (m_keeper.compare_exchange_weak(seen, next(seen, locked), std::memory_order_acquire,
                                                std::memory_order_relaxed)) {  // [L5]
        m_looks.store(0, std::memory_order_relaxed);
        return was_wanted;
      }
    }
  }

  void unlock() {
    // [L6] release: the walk, and what was done to frames; pairs with [L5]. Weaker: a frame ends under the thief.
    m_keeper.store(next(m_keeper.load(std::memory_order_relaxed), nobody), std::memory_order_release);
  }

  Frame* detach_oldest() {
    Frame* oldest = nullptr;
    // [L2] acquire: the frames; pairs with [L1].
    Frame* const newest = m_newest.load(std::memory_order_acquire);
    for (Frame* each = newest; each != nullptr;) {
      Frame* const older = each->older.load(std::memory_order_relaxed);
      if (older == taken()) break;
      oldest = each;
      each = older;
    }
    if (oldest != nullptr) oldest->older.store(taken(), std::memory_order_relaxed);
    if (oldest == nullptr || oldest == newest) m_drained.store(newest, std::memory_order_relaxed);
    return oldest;
  }

  // Turns the list round first: it is linked from the newest on.
  template <class Take>
  void take_all(Take& take) {
    Frame* turned = nullptr;
    for (Frame* each = m_newest.load(std::memory_order_relaxed); each != nullptr;) {
      Frame* const older = each->older.load(std::memory_order_relaxed);
      if (older == taken()) break;
      each->older.store(turned, std::memory_order_relaxed);
      turned = each;
      each = older;
    }
    m_newest.store(nullptr, std::memory_order_relaxed);
    m_drained.store(nullptr, std::memory_order_relaxed);
    while (turned != nullptr) {
      Frame& oldest = *turned;
      turned = oldest.older.load(std::memory_order_relaxed);
      oldest.older.store(taken(), std::memory_order_relaxed);
      take(oldest);
    }
  }

  // The owner; others write m_wanted, seldom.
  alignas(cache_line_size) atomic<Frame*> m_newest{nullptr};
  const bool m_always_wanted;
  atomic<bool> m_wanted;

  // Holders and thieves.
  alignas(cache_line_size) atomic<std::uint32_t> m_keeper{nobody};
  atomic<Frame*> m_drained{nullptr};  // with this as the newest, nothing is left
  atomic<std::uint32_t> m_looks{0};
};

}  // namespace ramie::detail
