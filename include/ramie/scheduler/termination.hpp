// Not for users.
//
// How a run knows that it is over.
//
// Each worker keeps two totals that only grow: of the fibers that it spawned, and of the fibers that ended on it. A
// spawn is counted before the task can be found, an end after the fiber's last action; so done <= spawned at every
// moment.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/statistics.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class termination {
 public:
  /// While no thread works. `draining`: the run is over as soon as no fiber is left; otherwise it is drain() that says
  /// so.
  void begin(bool draining) {
    m_draining.store(draining, std::memory_order_relaxed);  // the threads that read them are started after it
    m_finished.store(false, std::memory_order_relaxed);
  }

  /// Any thread. Calls wake_everyone(), which chooses every sleeper of the gate.
  template <class WakeEveryone>
  void drain(WakeEveryone&& wake_everyone) {
    // [E1] release: pairs with [E2]. A worker that sleeps now is woken and looks. A worker that falls asleep later
    // takes the gate's lock after wake_everyone() did, and looks after that.
    m_draining.store(true, std::memory_order_release);
    wake_everyone();
  }

  /// A worker without work. `totals`: of each worker something with `spawned` and `done`, of basic_owned_count.
  template <class Totals, class WakeEveryone>
  void finish_if_drained(const Totals& totals, WakeEveryone&& wake_everyone) {
    // [E2] acquire: spawns before drain() are in the totals; pairs with [E1]. Weaker: a spawn from outside is missed,
    // and the run ends without it.
    if (!m_draining.load(std::memory_order_acquire) || finished() || !no_fiber_left(totals)) return;
    m_finished.store(true, std::memory_order_release);  // [E3], pairs with [E4]
    wake_everyone();
  }

  [[nodiscard]] bool finished() const {
    // [E4] acquire: a thread that sees the end sees all that was done before it; pairs with [E3]. Weaker: the thread
    // that waits for the run does not see a fiber's last writes.
    return m_finished.load(std::memory_order_acquire);
  }

  /// Reads all of `done` first: if the sum of `spawned`, read later, is not larger, no fiber was left. For a fiber that
  /// is left has a parent. If the parent is done, its spawns are seen. If the parent is left, the same holds for it,
  /// and so on up to a spawn from outside, which drain() or the start of the threads has made visible.
  template <class Totals>
  [[nodiscard]] bool no_fiber_left(const Totals& totals) const {
    // acquire [O2] in statistics.hpp, pairs with [O1]: all that was counted before each done. Weaker: a child's end is
    // seen and its sibling's spawn is not, and the run ends under it. The loads after it may be relaxed.
    std::uint64_t done = 0;
    for (const auto& each : totals) done += each.done.get_acquire();
    std::uint64_t spawned = m_spawned_outside.load(std::memory_order_relaxed);
    for (const auto& each : totals) spawned += each.spawned.get();
    return done == spawned;
  }

  /// Any thread that is no worker of this runtime, before it injects the task. Returns how many were before it.
  std::uint64_t count_spawned_outside() {
    // relaxed: published by the push that follows, and then by the worker that runs the pushed task.
    return m_spawned_outside.fetch_add(1, std::memory_order_relaxed);
  }
  /// While no thread works.
  [[nodiscard]] std::uint64_t spawned_outside() const { return m_spawned_outside.load(std::memory_order_relaxed); }

 private:
  typename Provider::template atomic<bool> m_draining{false};
  typename Provider::template atomic<bool> m_finished{false};
  typename Provider::template atomic<std::uint64_t> m_spawned_outside{0};
};

}  // namespace ramie::detail
