// Latches, as std::latch: doors that open once, when a count has come down.
#pragma once

#include <ramie/sync/latch_core.hpp>
#include <ramie/sync/wait_in.hpp>

#include <cstddef>

namespace ramie {

namespace detail {
[[noreturn, gnu::cold]] void latch_begins_wrong(std::ptrdiff_t most);
[[noreturn, gnu::cold]] void latch_below_zero();
[[noreturn, gnu::cold]] void latch_destroyed();
}  // namespace detail

/// Names, signatures and meaning are those of std::latch; beyond it, wait() blocks the calling fiber, not its worker
/// (on a thread that runs no fiber: the thread), and may be given limits. Any fiber or thread may call anything.
///
/// Everything done before the calls of count_down() is visible after wait(). Waiters are woken in the order in which
/// they came. Must not be destroyed while somebody waits (the process ends and says so, where it sees it); a thread
/// whose wait() has returned may destroy it, if nobody else will use it. For a count that goes up too: wait_group.
class latch {
 public:
  static constexpr std::ptrdiff_t max() noexcept { return detail::latch_core<>::max; }

  /// Throws misuse if `expected` is not between 0 and max().
  constexpr explicit latch(std::ptrdiff_t expected) : m_core(checked(expected)) {}
  ~latch() {
    if (m_core.has_waiters()) [[unlikely]]
      detail::latch_destroyed();
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// Blocks nothing; some nanoseconds. The count must not fall below zero, nor rise: the process ends and says so.
  void count_down(std::ptrdiff_t update = 1) {
    if (update < 0 || !m_core.add(-update, [](work_item& waiter) { wake(waiter); })) [[unlikely]]
      detail::latch_below_zero();
  }
  /// Blocks nothing. Never says no for no reason.
  [[nodiscard]] bool try_wait() const noexcept { return m_core.is_zero(); }
  /// Until the count is zero.
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
  void arrive_and_wait(std::ptrdiff_t update = 1) {
    count_down(update);
    wait();
  }

 private:
  static constexpr std::ptrdiff_t checked(std::ptrdiff_t expected) {
    if (expected < 0 || expected > max()) detail::latch_begins_wrong(max());
    return expected;
  }

  mutable detail::latch_core<> m_core;
};

}  // namespace ramie
