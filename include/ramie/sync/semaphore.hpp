// Semaphores, as std::counting_semaphore: permits that fibers and threads take and give back.
#pragma once

#include <ramie/sync/semaphore_core.hpp>
#include <ramie/sync/wait_in.hpp>

#include <cstddef>

namespace ramie {

namespace detail {
struct select_access;
[[noreturn, gnu::cold]] void semaphore_out_of_range(std::ptrdiff_t most);
[[noreturn, gnu::cold]] void semaphore_destroyed();
[[noreturn, gnu::cold]] void semaphore_begins_wrong(std::ptrdiff_t most);
}  // namespace detail

/// Names, signatures and meaning are those of std::counting_semaphore; beyond it, acquire() and try_acquire_for/until
/// block the calling fiber, not its worker (on a thread that runs no fiber: the thread), and waits may be given limits.
///
/// Fair: waiters are served in the order in which they came, and before callers that come later. Must not be destroyed
/// while somebody waits (the process ends and says so, where it sees it); a thread whose acquire() has returned may
/// destroy it, if nobody else will use it.
template <std::ptrdiff_t LeastMax = detail::semaphore_core<>::max>
class counting_semaphore {
  static_assert(LeastMax >= 0 && LeastMax <= detail::semaphore_core<>::max);

 public:
  static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }

  /// Throws misuse if `desired` is not between 0 and max().
  constexpr explicit counting_semaphore(std::ptrdiff_t desired) : m_core(checked(desired)) {}
  ~counting_semaphore() {
    if (m_core.has_waiters()) [[unlikely]]
      detail::semaphore_destroyed();
  }
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  /// Any fiber or thread; blocks nothing. The count must not exceed max(): the process ends and says so. About 5 ns
  /// where nobody waits.
  void release(std::ptrdiff_t update = 1) {
    if (update < 0 || !m_core.release(update, max(), [](work_item& waiter) { wake(waiter); })) [[unlikely]]
      detail::semaphore_out_of_range(max());
  }
  /// Any fiber or thread. Blocks while there are no permits.
  void acquire() {
    if (m_core.try_acquire()) return;
    detail::wait_node<> mine;
    detail::wait_in(m_core, mine, "acquire()");
  }
  /// Any fiber or thread; blocks nothing. Never fails for no reason.
  [[nodiscard]] bool try_acquire() noexcept { return m_core.try_acquire(); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& time) {
    return acquire(wait_limits(time)) == wake_reason::woken;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& when) {
    return acquire(wait_limits(when)) == wake_reason::woken;
  }
  /// Until one of the limits: timed_out or cancelled, and then it has taken nothing. Throws std::bad_alloc too, where
  /// there is no room for the deadline.
  [[nodiscard]] wake_reason acquire(const wait_limits& limits) {
    if (m_core.try_acquire()) return wake_reason::woken;
    detail::wait_node<> mine;
    return detail::wait_in(m_core, mine, "acquire()", limits);
  }

 private:
  friend struct detail::select_access;
  static constexpr std::ptrdiff_t checked(std::ptrdiff_t desired) {
    if (desired < 0 || desired > LeastMax) detail::semaphore_begins_wrong(LeastMax);
    return desired;
  }

  detail::semaphore_core<> m_core;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace ramie
