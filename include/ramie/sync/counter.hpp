// WaitForCounter: fibers and threads that wait until a count has come down.
#pragma once

#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/surroundings.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/sync/counter_core.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {
struct select_access;
[[noreturn, gnu::cold]] void target_below_zero();

/// A waiter and its target: see wait.hpp.
struct counter_wait {
  counter_core<>& awaited;
  counter_core<>::place mine;

  [[nodiscard]] bool set_waiter(work_item& waiter) { return awaited.enqueue(mine, waiter); }
  [[nodiscard]] bool is_done() const { return awaited.reached(mine.target); }
};

/// For a thread that is about to wait. Throws misuse in a child made by fork(), where nobody counts.
void before_counter_wait_on_thread();
}  // namespace detail

/// A count that anyone may change and wait for. Must not be destroyed while somebody waits (the process ends and says
/// so, where it sees it); a waiter may destroy it as soon as its wait has returned, if nobody else changes it any more.
class counter {
 public:
  /// The largest count.
  static constexpr std::int64_t max = detail::counter_core<>::max;

  explicit counter(std::int64_t count = 0);
  ~counter();
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;

  /// Any fiber or thread; blocks nothing. About 5 ns without waiters. The count must not leave 0 … max: the process
  /// ends and says so.
  void add(std::int64_t amount = 1);
  void decrement(std::int64_t amount = 1);
  /// A guess by the time it is read.
  [[nodiscard]] std::int64_t value() const { return m_core.value(); }

 private:
  friend struct detail::select_access;
  friend void wait_for_counter(counter& awaited, std::int64_t target);
  friend wake_reason wait_for_counter(counter& awaited, std::int64_t target, const wait_limits& limits);
  detail::counter_core<> m_core;
};

/// wait_for_counter(), below, or until one of the limits: `woken` if the count was reached, else timed_out or
/// cancelled. Until it has returned the counter must live, whatever ends the wait. Throws std::bad_alloc too, where
/// there is no room for the deadline. About 150 ns.
[[nodiscard]] wake_reason wait_for_counter(counter& awaited, std::int64_t target, const wait_limits& limits);

/// Waits until the count has been at or below `target`. Blocks the calling fiber, not its worker; on a thread that runs
/// no fiber, the thread (throws misuse in a child that a fiber made by fork(), before it has a runtime of its own);
/// scheduler_init()'s runtime is started then, if there is one and nothing runs it yet (throws as runtime::start()).
/// Throws cancelled where the scope around the caller ends the wait. Everything done before the decrements is visible
/// afterwards. About 40 ns with two switches.
[[gnu::always_inline]] inline void wait_for_counter(counter& awaited, std::int64_t target = 0) {
  if (!awaited.m_core.reached(target)) {
    if (target < 0) [[unlikely]]
      detail::target_below_zero();
    worker* const here = worker::current();
    if (here == nullptr) [[unlikely]]
      detail::before_counter_wait_on_thread();
    if (detail::has_surroundings(here)) [[unlikely]]
      return static_cast<void>(wait_for_counter(awaited, target, wait_limits(std::stop_token())));
    detail::counter_wait wait{awaited.m_core, {target, here != nullptr ? &here->home() : nullptr}};
    detail::wait_for(here, wait);
  }
  if (detail::someone_observes()) [[unlikely]]
    detail::report_receipt(&awaited);
}

namespace detail {
template <class Function>
auto counted(counter& completions, Function&& function) {
  return [&completions, kept = std::optional<std::decay_t<Function>>(std::forward<Function>(function))]() mutable {
    std::move (*kept)();
    kept.reset();  // what it captured is destroyed before the count drops
    completions.decrement();
  };
}
}  // namespace detail

/// Adds one to `completions` and spawns a fiber that takes one off when function() has returned and what it captured is
/// destroyed. Nobody joins the fiber: an exception that leaves it ends the process with its name, and so does a stack
/// that cannot be had when it starts. Throws as spawn().
template <class Function>
void spawn_with_counter(counter& completions, Function&& function) {
  completions.add();
  try {
    spawn(detail::counted(completions, std::forward<Function>(function))).detach();
  } catch (...) {
    completions.decrement();
    throw;
  }
}

/// The same with a name or a stack size of its own.
template <class Function>
void spawn_with_counter(counter& completions, const spawn_options& how, Function&& function) {
  completions.add();
  try {
    spawn(how, detail::counted(completions, std::forward<Function>(function))).detach();
  } catch (...) {
    completions.decrement();
    throw;
  }
}

}  // namespace ramie
