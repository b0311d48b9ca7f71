// Drivers that complete things: attached to the thread that holds the worker, polled on its loop's stack, reaped by
// others while their worker is in a long task. docs/architecture.md, "Drivers"; driver_side.hpp has the steps.

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <exception>

namespace ramie::detail {

// By the thread that has begun to hold the worker. Throws the driver's exceptions; then the worker has no driver.
void whole_worker::attach_driver() {
  std::exception_ptr reason;
  m_no_driver = &reason;
  const bool attached = m_side.attach();
  m_no_driver = nullptr;
  if (!attached) std::rethrow_exception(reason);
}

void whole_worker::attach_driver_if_possible() noexcept { m_side.attach(); }
void whole_worker::detach_driver() noexcept { m_side.detach(); }

bool whole_worker::call_attach() noexcept {
  try {
    m_driver->attach(*this);
  } catch (...) {
    if (m_no_driver != nullptr) *m_no_driver = std::current_exception();
    return false;
  }
  m_attached = m_driver.get();
  m_kind_of_driver = m_driver->kind();
  return true;
}

void whole_worker::call_detach() noexcept {
  m_attached = nullptr;
  m_kind_of_driver = nullptr;
  m_driver->detach();
}

driver_side<whole_worker>& whole_worker::side_of(unsigned index) const noexcept {
  return m_shared.workers()[index]->m_side;
}
bool whole_worker::others_reap() const noexcept { return m_shared.drivers_are_reaped(); }

// Of a worker that has nothing to run.
work_item* whole_worker::reap_round() noexcept {
  bool any = false;
  for (const auto& each : m_shared.workers()) {
    if (each->has_completions()) any = m_side.reap(each->m_side) || any;
  }
  if (!any) return nullptr;
  const auto ready = m_lane.pop_bottom();
  return ready ? *ready : nullptr;
}

bool whole_worker::should_nap() noexcept {
  if (m_driver == nullptr) return false;
  m_side.attach();
  return m_attached != nullptr && m_naps.pays();
}

bool whole_worker::nap() noexcept {
  m_counters.naps.add();
  const auto latest = deadline_of(native_provider::now() + nap_pace::longest);
  m_attached->wait(time_if_any(std::min(latest, earliest_of_all())));
  const bool any = m_side.poll();
  m_naps.napped(any);
  return any;
}

}  // namespace ramie::detail
