// Condition variables of fibers and threads.
#pragma once

#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/scheduler/wake_reason.hpp>
#include <ramie/sync/condition_core.hpp>

#include <cstdint>
#include <stop_token>
#include <utility>

namespace ramie {

/// As std::cv_status.
enum class cv_status : std::uint8_t { no_timeout, timeout };

namespace detail {

/// A wait, from before the lock is unlocked until after it is locked again.
class condition_wait {
 public:
  explicit condition_wait(condition_core<>& of);
  condition_wait(const condition_wait&) = delete;
  condition_wait& operator=(const condition_wait&) = delete;
  /// Takes the waiter back, where wait() was not called; a notification that it has got goes to another waiter.
  ~condition_wait();

  [[nodiscard]] wake_reason wait(const wait_limits* limits);

 private:
  condition_core<>& m_of;
  wait_record<work_item> m_record;
  condition_node<> m_node;
  bool m_is_over = false;
};

}  // namespace detail

/// std::condition_variable and std::condition_variable_any between fibers and threads: it works with any lock (that has
/// lock() and unlock()), blocks the fiber, not its worker (on a thread that runs no fiber: the thread), and waits may
/// be given limits.
///
/// notify_one() wakes exactly one waiter, the one that has waited longest. Nobody is woken for no reason, but for a
/// waiter that is shielded (cancelled.hpp), once, where its scope is cancelled while it waits. May be
/// destroyed as soon as all waiters are notified, while they still return. Destroyed while somebody waits, it ends the
/// process and says so, where it sees it.
///
/// Waits unlock the lock, and have locked it again whenever they return or throw. They throw what its unlock() throws,
/// and std::bad_alloc where there is no room for the deadline. A lock() that throws then ends the process, as in the
/// standard.
class condition_variable {
 public:
  constexpr condition_variable() noexcept = default;
  ~condition_variable() {
    if (!m_core.await_leavers()) [[unlikely]]
      destroyed();
  }
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  /// Any fiber or thread; blocks nothing. A load where nobody waits.
  void notify_one() noexcept { notify(1); }
  /// Many fibers of one runtime are given to all its workers at once.
  void notify_all() noexcept { notify(~std::uint64_t{0}); }

  template <class Lock>
  void wait(Lock& lock) {
    static_cast<void>(wait_with(lock, nullptr));
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate condition) {
    while (!condition()) wait(lock);
  }
  /// Until one of the limits: timed_out or cancelled, and then it has taken no notification.
  template <class Lock>
  [[nodiscard]] wake_reason wait(Lock& lock, const wait_limits& limits) {
    return wait_with(lock, &limits);
  }

  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& when) {
    return status_of(wait(lock, wait_limits(when)));
  }
  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& time) {
    return status_of(wait(lock, wait_limits(time)));
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& when, Predicate condition) {
    return wait_for_condition(lock, wait_limits(when), condition);
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& time, Predicate condition) {
    return wait_for_condition(lock, wait_limits(time), condition);
  }

  /// Until the condition holds or a stop is requested; returns whether it holds.
  template <class Lock, class Predicate>
  bool wait(Lock& lock, std::stop_token stop, Predicate condition) {
    return wait_for_condition(lock, wait_limits(std::move(stop)), condition);
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, std::stop_token stop, const std::chrono::time_point<Clock, Duration>& when,
                  Predicate condition) {
    return wait_for_condition(lock, wait_limits(when, std::move(stop)), condition);
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, std::stop_token stop, const std::chrono::duration<Rep, Period>& time, Predicate condition) {
    return wait_for_condition(lock, wait_limits(time, std::move(stop)), condition);
  }

 private:
  static cv_status status_of(wake_reason reason) {
    return reason == wake_reason::timed_out ? cv_status::timeout : cv_status::no_timeout;
  }

  template <class Lock>
  wake_reason wait_with(Lock& lock, const wait_limits* limits) {
    detail::condition_wait mine(m_core);
    lock.unlock();
    struct relock {
      Lock& of;
      ~relock() { of.lock(); }  // implicitly noexcept: as the standard has it
    } const again{lock};
    return mine.wait(limits);
  }
  template <class Lock, class Predicate>
  bool wait_for_condition(Lock& lock, const wait_limits& limits, Predicate& condition) {
    while (!condition()) {
      if (wait(lock, limits) != wake_reason::woken) return condition();
    }
    return true;
  }

  void notify(std::uint64_t most) noexcept;
  [[noreturn, gnu::cold]] static void destroyed();

  detail::condition_core<> m_core;
};

using condition_variable_any = condition_variable;

}  // namespace ramie
