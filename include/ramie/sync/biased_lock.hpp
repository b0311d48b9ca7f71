// Not for users.
//
// A spin lock that costs its user no read-modify-write, as long as that is one worker. Most channels are used by fibers
// that run on one worker for a while, where the one read-modify-write of a lock is dearer than all that is done under
// it.
//
// After Kawachiya, Koseki, Onodera, "Lock Reservation" (OOPSLA 2002), and Russell, Detlefs, "Eliminating
// Synchronization-Related Atomic Operations with Biased Locking and Bulk Rebiasing" (OOPSLA 2006). A worker that has
// taken the lock often, and nobody else in between, becomes its owner. From then on it goes in and out by stores to
// m_inside. Anybody else takes m_lock first, which excludes all others but the owner, and then revokes: clears m_owner,
// makes a heavy fence, and waits until the owner is not inside. The owner looks at m_owner again when it has said that
// it goes in, after a light fence: so one of the two sees the other. A lock is owned once in its life; a revocation
// costs some microseconds (membarrier(2)), and the owner has saved them before.
//
// `Self` says who calls: static const void* id(), which is one worker's, or null for callers that are none. Between two
// operations of one id there is an order, whatever thread runs it. Self::patience: how often before it owns.
//
// The last access of unlock() is its last store, so the lock may be destroyed by whoever takes it next.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Self, class Provider = native_provider>
class biased_lock {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  enum class held : std::uint8_t { by_owner, by_lock };

  [[nodiscard]] [[gnu::always_inline]] inline held lock() {
    const void* const self = Self::id();
    // [K1] relaxed: the owner has written it itself; to others it says to go the other way.
    if (self != nullptr && m_owner.load(std::memory_order_relaxed) == self) {
      // [K2] relaxed, and a light fence: whoever has revoked, and does not see this, is seen by the load; pairs with
      // [K5].
      m_inside.store(true, std::memory_order_relaxed);
      Provider::fence_light();
      if (m_owner.load(std::memory_order_relaxed) == self) [[likely]]
        return held::by_owner;
      // [K3] release: what was done inside before; the one who revokes may see this store and not that of [K4]. Pairs
      // with [K6].
      m_inside.store(false, std::memory_order_release);
    }
    lock_with(self);
    return held::by_lock;
  }

  [[gnu::always_inline]] inline void unlock(held how) {
    if (how == held::by_owner) {
      // [K4] release: what was done inside, to the one who revokes; pairs with [K6].
      m_inside.store(false, std::memory_order_release);
    } else {
      // [K8] release: what was done under the lock; pairs with [K7].
      m_lock.store(false, std::memory_order_release);
    }
  }

 private:
  [[gnu::noinline]] void lock_with(const void* self) {
    for (unsigned round = 1;; ++round) {
      bool taken = m_lock.load(std::memory_order_relaxed);
      // [K7] acquire, pairs with [K8]. Weaker: what the lock guards is read stale.
      if (!taken && m_lock.compare_exchange_weak(taken, true, std::memory_order_acquire, std::memory_order_relaxed)) {
        break;
      }
      wait_a_little(round);
    }
    if (m_owner.load(std::memory_order_relaxed) != nullptr) {
      revoke();
    } else if (m_may_be_owned) {
      count_for(self);
    }
  }

  [[gnu::cold]] void revoke() {
    // [K5] relaxed, and a heavy fence: see [K2].
    m_owner.store(nullptr, std::memory_order_relaxed);
    Provider::fence_heavy();
    // [K6] acquire, pairs with [K4].
    for (unsigned round = 1; m_inside.load(std::memory_order_acquire); ++round) wait_a_little(round);
  }

  // The next owner has the lock still, and goes in without it from the next time on.
  void count_for(const void* self) {
    if (m_last != self) {
      m_last = self;
      m_times = 0;
      return;
    }
    const std::uint32_t times = m_times + 1;
    m_times = times;
    if (self == nullptr || times < Self::patience) return;
    m_may_be_owned = false;
    if (Provider::light_fences_are_free()) m_owner.store(self, std::memory_order_relaxed);
  }

  static void wait_a_little(unsigned round) { round % 64 != 0 ? Provider::pause() : Provider::yield_thread(); }

  typename Provider::template atomic<const void*> m_owner{nullptr};
  typename Provider::template atomic<bool> m_inside{false};
  typename Provider::template atomic<bool> m_lock{false};
  // With m_lock:
  plain<bool> m_may_be_owned = true;
  plain<std::uint32_t> m_times = 0;
  plain<const void*> m_last = nullptr;
};

}  // namespace ramie::detail
