// Events: something has happened, for those that wait for it.
#pragma once

#include <ramie/sync/event_core.hpp>
#include <ramie/sync/wait_in.hpp>

namespace ramie {

namespace detail {

[[noreturn, gnu::cold]] void event_destroyed();

/// What both kinds have in common.
template <event_kind Kind>
class basic_event {
 public:
  constexpr explicit basic_event(bool set) : m_core(set) {}
  ~basic_event() {
    if (m_core.has_waiters()) [[unlikely]]
      event_destroyed();
  }
  basic_event(const basic_event&) = delete;
  basic_event& operator=(const basic_event&) = delete;

  void set() {
    m_core.set([](work_item& waiter) { wake(waiter); });
  }
  void reset() noexcept { static_cast<void>(m_core.take()); }
  [[nodiscard]] bool try_wait() noexcept {
    if constexpr (Kind == event_kind::manual) {
      return m_core.is_set_now();
    } else {
      return m_core.take();
    }
  }
  void wait() {
    if (try_wait()) return;
    wait_node<> mine;
    wait_in(m_core, mine, "wait()");
  }
  [[nodiscard]] wake_reason wait(const wait_limits& limits) {
    if (try_wait()) return wake_reason::woken;
    wait_node<> mine;
    return wait_in(m_core, mine, "wait()", limits);
  }

 private:
  event_core<Kind> m_core;
};

}  // namespace detail

/// A door that is open or shut: set() opens it, for those that wait and those that come, until reset().
///
/// Any fiber or thread may call anything. wait() blocks the calling fiber, not its worker (on a thread that runs no
/// fiber: the thread); the others block nothing, and take some nanoseconds where nobody waits. Everything done before
/// set() is visible after a wait that it ends, and after a reset() that undoes it. A waiter that was woken goes on
/// although the event was reset meanwhile. Waiters are woken in the order in which they came. Must not be destroyed
/// while somebody waits (the process ends and says so, where it sees it); a thread that has found it set, or whose
/// wait() has returned, may destroy it, if nobody else will use it.
class manual_reset_event : private detail::basic_event<detail::event_kind::manual> {
  using base = detail::basic_event<detail::event_kind::manual>;

 public:
  constexpr explicit manual_reset_event(bool set = false) : base(set) {}

  /// Wakes everybody. Nothing, where it is set already.
  using base::set;
  /// Nothing, where it is not set.
  using base::reset;
  /// Whether it is set. Never says no for no reason.
  using base::try_wait;
  /// void wait(): until it is set.
  /// wake_reason wait(const wait_limits&): or until one of the limits, then timed_out or cancelled. Throws
  /// std::bad_alloc where there is no room for the deadline.
  using base::wait;
};

/// A turnstile: one set() lets exactly one through, the one that has waited longest, or else the next that comes. Two
/// calls of set() that nobody came between are one: for all to count, take a counting_semaphore. As manual_reset_event
/// otherwise.
class auto_reset_event : private detail::basic_event<detail::event_kind::automatic> {
  using base = detail::basic_event<detail::event_kind::automatic>;

 public:
  constexpr explicit auto_reset_event(bool set = false) : base(set) {}

  /// Wakes one, or stays set for one.
  using base::set;
  /// Takes the signal back that nobody has got.
  using base::reset;
  /// Takes the signal, if there is one. Never says no for no reason.
  using base::try_wait;
  /// As above: `woken` has taken a signal, and every other end of a wait has not.
  using base::wait;
};

}  // namespace ramie
