// The parts of a worker for the run loop, on the worker's own kernel thread; the loop itself is in run_loop.hpp.
// Switches between fibers that do not come back here are in worker_fibers.cpp.
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/run_loop.hpp>

#include "scheduler/batches.hpp"
#include "scheduler/scheduler.hpp"

namespace ramie::detail {

sleep_gate<>& whole_worker::gate() { return m_shared.gate(); }
bool whole_worker::sees_work() const {
  return m_shared.has_visible_work(*this) || m_shared.has_completions() || m_clock.needs_timekeeper();
}
bool whole_worker::finished() const { return m_shared.finished(); }
void whole_worker::finish_if_drained() { m_shared.finish_if_drained(); }

void whole_worker::search_succeeded() {
  m_pace.succeeded();
  m_poll_pace.begin_again();
}

void whole_worker::park() {
  if (m_observer != nullptr) [[unlikely]]
    m_observer->worker_sleeps(m_index);
  m_counters.parks.add();
  m_shared.places().leave(m_index);
  m_side.sleep();
  if (!m_shared.chosen().pin) m_shared.places().arrive(m_index);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->worker_wakes(m_index);
}

bool whole_worker::run(carrier& by) {
  m_carrier = &by;
  m_exceptions = by.exceptions;
  return run_loop<whole_worker>(*this).run();
}

// A run loop within the run loop, on the same stack. It does not sleep: it is needed seldom, and for a short time. A
// task that gets no stack after the wait is over is left to the loop outside: the destructors of such tasks call this
// function, and each would wait within the one before it.
void whole_worker::work_until(function_ref<bool()> over) {
  if (!m_forks.empty()) give_forks_away();
  ++m_loops_within;
  while (!over()) {
    if (m_refused != nullptr) {
      refuse();
      continue;
    }
    work_item* found = next_local();
    if (found == nullptr) found = steal_round();
    if (found != nullptr) {
      static_cast<void>(run_item(*found));  // the worker stays here: see leave_thread()
    } else {
      native_provider::yield_thread();
    }
  }
  --m_loops_within;
}

work_item* whole_worker::steal_round() {
  if (m_shared.drivers_are_reaped()) [[unlikely]] {
    if (work_item* const ready = reap_round()) return ready;
  }
  return steal_round_of_queues();
}

work_item* whole_worker::steal_round_of_queues() {
  if (!m_stealing) return nullptr;
  work_item* found = nullptr;
  m_victims.round([&](unsigned victim) { return (found = steal_from(*m_shared.workers()[victim])) != nullptr; },
                  [&](unsigned victim) { return m_shared.workers()[victim]->visible_work(); });
  return found;
}

work_item* whole_worker::steal_from(whole_worker& victim) {
  work_item* const found = steal_queued(victim);
  // Where continuations are stolen, a fork is in the list for an instant only, and its owner expects nobody.
  if (found != nullptr || m_fork_stealing == fork_stealing::continuation || !victim.m_forks.stealable()) return found;
  return steal_fork(victim);
}

work_item* whole_worker::steal_queued(whole_worker& victim) {
  m_counters.steal_attempts.add();
  const stolen_batch<work_item*> taken = steal_batch(
      victim.m_deque, victim.m_lane, m_lane, [this] { notify(); },
      victim.m_has_continuations.load(std::memory_order_relaxed) ? 1 : 16);
  if (taken.count == 0) {
    (taken.raced ? m_counters.lost_races : m_counters.empties).add();
    return nullptr;
  }
  m_counters.steals.add();
  m_counters.stolen_items.add(taken.count);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->stole(m_index, victim.m_index, taken.count);
  return taken.first;
}

}  // namespace ramie::detail
