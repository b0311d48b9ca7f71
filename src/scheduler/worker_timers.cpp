// Deadlines: how a worker adds them, ends the waits whose time has come, and how long it sleeps. timekeeper.hpp has the
// rules.
#include <ramie/scheduler/parked.hpp>

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <chrono>

namespace ramie::detail {
// Most fibers add a timer and wait, and the worker has nothing else to run: then it is the timekeeper itself when it
// falls asleep, and nobody need be woken for that. So it owes one only, until it runs something else.
timer_heap<work_item>& whole_worker::add_timer(timer_heap<work_item>::timer& fresh) {
  if (m_timers.add(fresh) && !m_shared.tell_timekeeper(fresh.when())) m_owes_timekeeper = true;
  return m_timers;
}

void whole_worker::wake_owed_timekeeper() noexcept {
  m_owes_timekeeper = false;
  if (m_shared.needs_timekeeper()) notify_of_injector();
}

void whole_worker::expire_timers_of(whole_worker& other) noexcept {
  if (other.m_timers.earliest() == no_deadline) return;
  other.m_timers.expire(deadline_of(native_provider::now()), [](work_item& waiter) { wake_by_nobody(waiter); });
}

// Each worker looks at its own timers and at one other's in turns, because a worker in a long task looks at none.
void whole_worker::poll_timers() noexcept {
  expire_timers_of(*this);
  if (++m_next_timers >= m_shared.workers().size()) m_next_timers = 0;
  if (m_next_timers != m_index) expire_timers_of(*m_shared.workers()[m_next_timers]);
}

void whole_worker::before_sleep() noexcept {
  want_forks();
  const deadline_ns earliest = m_shared.earliest_deadline();
  m_keeps_time = m_shared.keeper().begin(m_index, earliest);  // K1
  m_sleeps_until = m_keeps_time ? earliest : no_deadline;
  m_owes_timekeeper = false;
  if (m_attached != nullptr) {
    if (m_keeps_time && m_shared.drivers_are_reaped()) m_attached->watch(true);
    m_slept_from = native_provider::now();
  } else if (m_driver != nullptr) {
    // Without its driver it hears neither of its own completions nor of the others'. So it wakes to try again.
    m_sleeps_until = std::min(m_sleeps_until, deadline_of(m_attach_again));
  }
}

// Looks at the heaps again: a timer that came after K1 may be from a producer that saw no timekeeper yet.
deadline_ns whole_worker::end_of_sleep() const {
  return m_keeps_time ? std::min(m_sleeps_until, m_shared.earliest_deadline()) : m_sleeps_until;
}

void whole_worker::after_sleep() noexcept {
  if (m_keeps_time) {
    if (m_attached != nullptr && m_shared.drivers_are_reaped()) m_attached->watch(false);
    m_shared.keeper().end();  // K2
    for (const auto& each : m_shared.workers()) expire_timers_of(*each);
  }
  // It is in no list any more, so what it makes ready wakes others and not itself.
  if (m_attached != nullptr) {
    const auto slept = native_provider::now() - m_slept_from;
    m_naps.woke_after(slept, poll_driver());
  }
}

deadline_ns scheduler::earliest_deadline() const {
  deadline_ns earliest = no_deadline;
  for (const auto& each : m_workers) earliest = std::min(earliest, each->earliest_deadline());
  return earliest;
}

// The timekeeper also watches the drivers.
bool scheduler::needs_timekeeper() const {
  return !m_timekeeper.exists() && (m_drivers_are_reaped || earliest_deadline() != no_deadline);
}

// False: somebody sleeps, and there is no timekeeper.
bool scheduler::tell_timekeeper(deadline_ns when) noexcept {
  return !m_gate.anybody_sleeps() ||
         m_timekeeper.tell(when, [this](unsigned chosen) { m_workers[chosen]->interrupt(); });
}

}  // namespace ramie::detail
