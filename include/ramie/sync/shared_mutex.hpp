// A mutex that readers share.
#pragma once

#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/scheduler/wake_reason.hpp>
#include <ramie/sync/owned_locks.hpp>
#include <ramie/sync/shared_mutex_core.hpp>

namespace ramie {

/// std::shared_mutex and std::shared_timed_mutex between fibers and threads: waiting blocks the fiber, not its worker
/// (on a thread that runs no fiber: the thread), and waits may be given limits. One compare-exchange a call while
/// nobody waits. May be held across anything that waits; whoever locked it unlocks it, on whatever worker.
///
/// Fair: readers that come while a writer waits wait behind it; a writer that leaves lets in the readers that wait
/// then, and the next writer follows. Among writers, in the order in which they came. So one who shares it and locks it
/// again, shared too, may wait for ever, as with the standard's.
///
/// Must not be destroyed while somebody owns it or waits for it (the process ends and says so, where it sees it).
class shared_mutex {
 public:
  constexpr shared_mutex() noexcept = default;
  ~shared_mutex() {
    if (m_core.is_held() || m_core.has_waiters()) [[unlikely]]
      destroyed();
  }
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// Any fiber or thread. Blocks while anybody has it.
  void lock();
  /// Blocks nothing. Never fails for no reason.
  [[nodiscard]] bool try_lock() noexcept { return detail::count_owned_lock_if(m_core.try_lock()); }
  /// The owner. Ends the process where there is none.
  void unlock();
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& time) {
    return try_lock() || lock(wait_limits(time)) == wake_reason::woken;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_lock() || lock(wait_limits(when)) == wake_reason::woken;
  }
  /// Until one of the limits: timed_out or cancelled, and then the caller does not own it. Throws std::bad_alloc too,
  /// where there is no room for the deadline.
  [[nodiscard]] wake_reason lock(const wait_limits& limits);

  /// The same for readers. Blocks while a writer has it or waits for it.
  void lock_shared();
  /// Fails too while somebody waits.
  [[nodiscard]] bool try_lock_shared() noexcept { return detail::count_owned_lock_if(m_core.try_lock_shared()); }
  void unlock_shared();
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& time) {
    return try_lock_shared() || lock_shared(wait_limits(time)) == wake_reason::woken;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_lock_shared() || lock_shared(wait_limits(when)) == wake_reason::woken;
  }
  [[nodiscard]] wake_reason lock_shared(const wait_limits& limits);

 private:
  [[gnu::cold]] void destroyed() const;

  detail::shared_mutex_core<> m_core;
};

using shared_timed_mutex = shared_mutex;

}  // namespace ramie
