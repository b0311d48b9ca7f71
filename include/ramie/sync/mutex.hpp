// Mutexes of fibers and threads.
#pragma once

#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/scheduler/wake_reason.hpp>
#include <ramie/sync/mutex_core.hpp>
#include <ramie/sync/owned_locks.hpp>

#include <cstdint>

namespace ramie {

/// std::mutex and std::timed_mutex between fibers and threads: waiting blocks the fiber, not its worker (on a thread
/// that runs no fiber: the thread), and waits may be given limits. Any fiber or thread may lock it; the one that did
/// unlocks it, on whatever worker it is then. It may be held across anything that waits.
///
/// Whose it is next. unlock() lets it free and wakes the waiter that has waited longest, which competes with those that
/// come meanwhile; one that finds it taken again is the first of all waiters, and is handed the mutex by the next
/// unlock(). So nobody starves, and a mutex that is much in demand is not handed from one sleeper to the next.
/// unlock_to_next() hands it to the waiter that has waited longest, and this worker's processor with it.
///
/// Must not be destroyed while somebody owns it or waits for it (the process ends and says so, where it sees it); an
/// owner that nobody else will follow may unlock and destroy it at once.
class mutex {
 public:
  constexpr mutex() noexcept = default;
  ~mutex() {
    if (m_core.is_held() || m_core.has_waiters()) [[unlikely]]
      destroyed();
  }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Blocks while somebody has it, the caller too. One compare-exchange where nobody has it.
  [[gnu::always_inline]] void lock() {
    if (!m_core.lock_quickly()) [[unlikely]]
      lock_slowly();
    detail::count_owned_lock();
  }
  /// Blocks nothing. Never fails for no reason.
  [[nodiscard]] bool try_lock() noexcept { return detail::count_owned_lock_if(m_core.try_lock()); }
  /// The owner; blocks nothing. One compare-exchange where nobody waits. Ends the process where nobody owns it.
  [[gnu::always_inline]] void unlock() {
    detail::count_given_up_lock();
    if (!m_core.unlock_quickly()) [[unlikely]]
      unlock_slowly();
  }
  /// The owner. Where a fiber of this runtime waits, that fiber owns the mutex and goes on here at once, in one switch;
  /// the caller goes on later, as after yield(). A waiter elsewhere, a thread for example, owns it and is woken, and
  /// the caller yields. Where nobody waits: unlock(), and the caller goes on.
  void unlock_to_next();

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

 private:
  void lock_slowly();
  void unlock_slowly();
  [[gnu::cold]] void destroyed() const;

  detail::mutex_core<> m_core;
};

using timed_mutex = mutex;

/// std::recursive_mutex and std::recursive_timed_mutex, as mutex. The fiber that owns it may lock it again, on whatever
/// worker it is, and unlocks it as often. Some nanoseconds more than mutex.
class recursive_mutex {
 public:
  constexpr recursive_mutex() noexcept = default;
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;

  /// Throws std::system_error where the owner has locked it 2^32 - 1 times.
  void lock();
  [[nodiscard]] bool try_lock() noexcept;
  /// Ends the process where the caller is not the owner.
  void unlock();
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& time) {
    return try_lock() || lock(wait_limits(time)) == wake_reason::woken;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_lock() || lock(wait_limits(when)) == wake_reason::woken;
  }
  [[nodiscard]] wake_reason lock(const wait_limits& limits);

 private:
  [[nodiscard]] bool lock_again(const void* me);
  void begin(const void* me);

  mutex m_mutex;
  // relaxed: only the owner finds itself there.
  native_provider::atomic<const void*> m_owner{nullptr};
  std::uint32_t m_depth = 0;  // the owner's
};

using recursive_timed_mutex = recursive_mutex;

}  // namespace ramie
