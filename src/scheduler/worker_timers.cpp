// Deadlines: how a worker adds them, ends the waits whose time has come, and how long it sleeps. timekeeper.hpp has the
// rules, worker_clock.hpp the steps.
#include <ramie/scheduler/parked.hpp>

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <chrono>

namespace ramie::detail {

timer_heap<work_item>& whole_worker::add_timer(timer_heap<work_item>::timer& fresh) {
  if (m_timers.add(fresh)) m_clock.added(fresh.when());
  return m_timers;
}

void whole_worker::wake_owed_timekeeper() noexcept { m_clock.wake_owed_timekeeper(); }

void whole_worker::expire_timers_of(unsigned index) noexcept {
  timer_heap<work_item>& timers = m_shared.workers()[index]->m_timers;
  if (timers.earliest() == no_deadline) return;
  timers.expire(deadline_of(native_provider::now()), [](work_item& waiter) { wake_by_nobody(waiter); });
}

void whole_worker::poll_timers() noexcept { m_clock.poll(); }

unsigned whole_worker::peers() const noexcept { return static_cast<unsigned>(m_shared.workers().size()); }
timekeeper<>& whole_worker::keeper() const noexcept { return m_shared.keeper(); }
void whole_worker::interrupt_peer(unsigned chosen) noexcept { m_shared.workers()[chosen]->interrupt(); }

deadline_ns whole_worker::earliest_of_all() const noexcept {
  deadline_ns earliest = no_deadline;
  for (const auto& each : m_shared.workers()) earliest = std::min(earliest, each->m_timers.earliest());
  return earliest;
}

void whole_worker::before_sleep() noexcept {
  want_forks();
  m_side.begin_sleep();  // K1
  if (m_attached != nullptr) m_slept_from = native_provider::now();
}

void whole_worker::after_sleep() noexcept {
  const bool by_driver = m_side.end_sleep();  // K2
  if (m_attached != nullptr) m_naps.woke_after(native_provider::now() - m_slept_from, by_driver);
}

}  // namespace ramie::detail
