// Wait groups, as Go's sync.WaitGroup: wait until all of a number of things are done.
#pragma once

#include <ramie/scheduler/spawn.hpp>
#include <ramie/sync/latch_core.hpp>
#include <ramie/sync/wait_in.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {
[[noreturn, gnu::cold]] void wait_group_out_of_range();
[[noreturn, gnu::cold]] void wait_group_destroyed();
}  // namespace detail

/// A count of what is not done yet; wait() returns when it is zero. Any fiber or thread may call anything.
///
/// The rules are Go's: an add() that makes the count more than zero while somebody waits, or before the wait() that is
/// to include it, comes before that wait() in the program's order, or after something that the wait() comes after; so
/// call it before what it counts is spawned. As soon as the count has been zero the group may be used again, also while
/// those that waited have not gone on yet (Go calls that misuse). Everything done before the calls of done() is visible
/// after wait().
///
/// Waiters are woken in the order in which they came. Must not be destroyed while somebody waits (the process ends and
/// says so, where it sees it); a thread whose wait() has returned may destroy it, if nobody else will use it.
class wait_group {
 public:
  constexpr wait_group() : m_core(0) {}
  ~wait_group() {
    if (m_core.has_waiters()) [[unlikely]]
      detail::wait_group_destroyed();
  }
  wait_group(const wait_group&) = delete;
  wait_group& operator=(const wait_group&) = delete;

  /// `amount` may be negative. The count must not fall below zero: the process ends and says so. Blocks nothing; some
  /// nanoseconds.
  void add(std::ptrdiff_t amount = 1) {
    if (!m_core.add(amount, [](work_item& waiter) { wake(waiter); })) [[unlikely]]
      detail::wait_group_out_of_range();
  }
  void done() { add(-1); }

  /// Whether the count is zero, at some moment of the call.
  [[nodiscard]] bool try_wait() const noexcept { return m_core.is_zero(); }
  /// Until the count is zero, or has been since. Blocks the calling fiber, not its worker; on a thread that runs no
  /// fiber, the thread.
  void wait() const {
    if (m_core.is_zero()) return;
    detail::wait_node<> mine;
    detail::wait_in(m_core, mine, "wait()");
  }
  /// Or until one of the limits: timed_out or cancelled. Throws std::bad_alloc where there is no room for the deadline.
  [[nodiscard]] wake_reason wait(const wait_limits& limits) const {
    if (m_core.is_zero()) return wake_reason::woken;
    detail::wait_node<> mine;
    return detail::wait_in(m_core, mine, "wait()", limits);
  }

  /// Adds one and spawns a fiber that is done when function() has returned and what it captured is destroyed. Nobody
  /// joins the fiber: an exception that leaves it ends the process with its name. Throws as spawn().
  template <class Function>
  void go(Function&& function) {
    add();
    try {
      spawn([this, kept = std::optional<std::decay_t<Function>>(std::forward<Function>(function))]() mutable {
        std::move (*kept)();
        kept.reset();
        done();
      }).detach();
    } catch (...) {
      done();
      throw;
    }
  }

 private:
  mutable detail::latch_core<> m_core;
};

}  // namespace ramie
