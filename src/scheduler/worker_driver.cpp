// Drivers that complete things: attached to the thread that holds the worker, polled on its loop's stack, reaped by
// others while their worker is in a long task. docs/architecture.md, "Drivers".

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <cstdint>

namespace ramie::detail {
namespace {
constexpr std::chrono::milliseconds attach_again_after{1};
}

// ---- Threads ----

// By the thread that has begun to hold the worker. Throws the driver's exceptions; then the worker has no driver.
void whole_worker::attach_driver() {
  if (m_driver == nullptr || m_attached != nullptr) return;
  m_turn.exclude([&] { m_driver->attach(*this); });
  m_attached = m_driver.get();
  m_kind_of_driver = m_driver->kind();
  // [D1] release, pairs with [D2]. An interrupter has chosen the worker after the worker announced its sleep.
  m_sleeps_in.store(m_attached, std::memory_order_release);
  m_poll_in_loop = true;  // for completions that came meanwhile
}

void whole_worker::attach_driver_if_possible() noexcept {
  try {
    attach_driver();
  } catch (...) {
    m_sleeps_in.store(&m_futex, std::memory_order_release);  // [D1]
    m_attach_again = native_provider::now() + attach_again_after;
  }
}

void whole_worker::detach_driver() noexcept {
  if (m_attached == nullptr) return;
  m_attached = nullptr;
  m_kind_of_driver = nullptr;
  m_turn.exclude([&] { m_driver->detach(); });
}

// ---- Polling ----

// On a fiber's stack. It looks at the others first: its own driver may want each poll.
bool whole_worker::driver_wants_poll() noexcept {
  const bool other_waits = m_shared.drivers_are_reaped() && other_waits_for_reaper();
  return other_waits || (m_attached != nullptr ? m_attached->wants_poll() : attach_is_due());
}

// While the driver is not attached, no other worker may hear of its completions. So a busy worker tries again, too, and
// an idle one wakes for it.
bool whole_worker::attach_is_due() const noexcept { return native_provider::now() >= m_attach_again; }

// Whether the next of the other workers has completions, and has not polled between the last two polls of this worker:
// it is in a long task, or asleep in vain. Other workers are left alone, so that fibers go on where they were. Two
// looks at each worker at most: a worker that has completions at every look does not keep this one from the rest.
bool whole_worker::other_waits_for_reaper() noexcept {
  const whole_worker& other = *m_shared.workers()[m_next_reaped];
  if (&other != this && other.m_driver->has_completions()) {
    const std::uint64_t polls = other.m_driver_polls.get();
    if (polls == m_polls_then) return m_reaps_next = true;
    if (m_polls_then == never_polled) {
      m_polls_then = polls;
      return false;
    }
  }
  look_at_next_driver();
  return false;
}

void whole_worker::look_at_next_driver() noexcept {
  m_polls_then = never_polled;
  if (++m_next_reaped == m_shared.workers().size()) m_next_reaped = 0;
}

bool whole_worker::poll_driver() noexcept {
  m_driver_polls.add();
  const bool polled = m_attached->poll();
  return reap_driver_of(*this) || polled;
}

// True if this thread has made something ready.
bool whole_worker::reap_driver_of(whole_worker& of) noexcept {
  bool any = false;
  of.m_turn.take([&] { any = of.m_driver->reap() || any; });
  return any;
}

// Of a worker that has nothing to run.
work_item* whole_worker::reap_round() noexcept {
  bool any = false;
  for (const auto& each : m_shared.workers()) {
    if (each->m_driver->has_completions()) any = reap_driver_of(*each) || any;
  }
  if (!any) return nullptr;
  const auto ready = m_lane.pop_bottom();
  return ready ? *ready : nullptr;
}

// ---- Sleeping ----

bool whole_worker::should_nap() noexcept {
  if (m_driver == nullptr) return false;
  if (m_attached == nullptr) attach_driver_if_possible();
  return m_attached != nullptr && m_naps.pays();
}

bool whole_worker::nap() noexcept {
  m_counters.naps.add();
  const auto latest = deadline_of(native_provider::now() + nap_pace::longest);
  m_attached->wait(time_if_any(std::min(latest, m_shared.earliest_deadline())));
  const bool any = poll_driver();
  m_naps.napped(any);
  return any;
}

}  // namespace ramie::detail
