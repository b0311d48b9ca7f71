// Deadlines: how a worker adds them, ends the waits whose time has come, and how long it sleeps. timekeeper.hpp has the
// rules.
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

#include <algorithm>

namespace ramie {

detail::timer_heap<work_item>& worker::add_timer(detail::timer_heap<work_item>::timer& fresh) {
  if (m_timers.add(fresh)) m_home.tell_timekeeper(fresh.when());
  return m_timers;
}

void worker::expire_timers_of(worker& other) noexcept {
  if (other.m_timers.earliest() == detail::no_deadline) return;
  other.m_timers.expire(detail::deadline_of(native_provider::now()), [](work_item& waiter) { wake(waiter); });
}

// Each worker looks at its own timers and at one other's in turns, because a worker in a long task looks at none.
void worker::poll_timers() noexcept {
  expire_timers_of(*this);
  if (++m_next_timers >= m_home.m_workers.size()) m_next_timers = 0;
  if (m_next_timers != m_index) expire_timers_of(*m_home.m_workers[m_next_timers]);
}

void worker::before_sleep() noexcept {
  want_forks();
  const detail::deadline_ns earliest = m_home.earliest_deadline();
  m_keeps_time = m_home.m_timekeeper.begin(m_index, earliest);  // K1
  m_sleeps_until = m_keeps_time ? earliest : detail::no_deadline;
}

// Looks at the heaps again: a timer that came after K1 may be from a producer that saw no timekeeper yet.
detail::deadline_ns worker::end_of_sleep() const {
  return m_keeps_time ? std::min(m_sleeps_until, m_home.earliest_deadline()) : detail::no_deadline;
}

void worker::after_sleep() noexcept {
  if (!m_keeps_time) return;
  m_home.m_timekeeper.end();  // K2
  for (const auto& each : m_home.m_workers) expire_timers_of(*each);
}

detail::deadline_ns runtime::earliest_deadline() const {
  detail::deadline_ns earliest = detail::no_deadline;
  for (const auto& each : m_workers) earliest = std::min(earliest, each->m_timers.earliest());
  return earliest;
}

bool runtime::has_timers_without_keeper() const {
  return !m_timekeeper.exists() && earliest_deadline() != detail::no_deadline;
}

void runtime::tell_timekeeper(detail::deadline_ns when) noexcept {
  if (!m_gate.anybody_sleeps()) return;
  if (m_timekeeper.tell(when, [this](unsigned chosen) { m_workers[chosen]->interrupt(); })) return;
  static_cast<void>(notify());
}

}  // namespace ramie
