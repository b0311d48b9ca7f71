// A mutex that is taken when a condition holds.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/scheduler/wake_reason.hpp>
#include <ramie/sync/conditional_core.hpp>
#include <ramie/sync/owned_locks.hpp>

#include <stop_token>

namespace ramie {

/// As LockWhen() of Turner, "User-level threads....... with threads" (Linux Plumbers Conference 2013):
///
///     conditional_mutex lock;
///     lock.lock_when([&] { return !items.empty(); });     // no condition variable, no notification
///     item = items.pop();
///     lock.unlock();                                      // evaluates the conditions of those that wait
///
/// A mutex between fibers and threads, as ramie::mutex but for its fairness: an unlock hands it to the waiter that has
/// waited longest of those without a condition, or whose condition holds.
///
/// A condition is evaluated by the waiter once, and then by those who unlock, on their stacks, while nobody else has
/// the mutex. So it may read what the mutex guards, without synchronization of its own; it must not wait for anything,
/// nor touch this mutex, and should take nanoseconds: each unlock evaluates the conditions of all that wait before the
/// next owner. It must depend on nothing but what is changed with the mutex held. One that throws ends its own wait:
/// its lock_when() throws the exception, without the mutex; those who unlock go on.
class conditional_mutex {
 public:
  constexpr conditional_mutex() noexcept = default;
  ~conditional_mutex() {
    if (m_core.is_held() || m_core.has_waiters()) [[unlikely]]
      destroyed();
  }
  conditional_mutex(const conditional_mutex&) = delete;
  conditional_mutex& operator=(const conditional_mutex&) = delete;

  /// As in ramie::mutex.
  void lock();
  [[nodiscard]] bool try_lock() noexcept { return detail::count_owned_lock_if(m_core.try_lock()); }
  void unlock();
  void unlock_to_next();
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& time) {
    return try_lock() || lock(wait_limits(time)) == wake_reason::woken;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_lock() || lock(wait_limits(when)) == wake_reason::woken;
  }
  [[nodiscard]] wake_reason lock(const wait_limits& limits);

  /// Any fiber or thread. Blocks until the mutex can be had and condition() holds. Throws what condition() throws, and
  /// then the caller does not own it. Some 100 ns where it waits, and an evaluation for each unlock meanwhile.
  template <class Condition>
  void lock_when(Condition&& condition) {
    const auto holds = [&] { return static_cast<bool>(condition()); };
    lock_when_slowly(detail::function_ref<bool()>(holds));
  }
  /// Until one of the limits: timed_out or cancelled, and then the caller does not own it. The condition may be
  /// evaluated until it has returned. Throws std::bad_alloc too, where there is no room for the deadline.
  template <class Condition>
  [[nodiscard]] wake_reason lock_when(Condition&& condition, const wait_limits& limits) {
    const auto holds = [&] { return static_cast<bool>(condition()); };
    return lock_when_slowly(detail::function_ref<bool()>(holds), limits);
  }

 private:
  void lock_when_slowly(const detail::function_ref<bool()>& condition);
  [[nodiscard]] wake_reason lock_when_slowly(const detail::function_ref<bool()>& condition, const wait_limits& limits);
  [[nodiscard]] wake_reason wait_for(const detail::function_ref<bool()>& condition, const wait_limits& limits);
  [[gnu::cold]] void destroyed() const;

  detail::conditional_core<> m_core;
};

}  // namespace ramie
