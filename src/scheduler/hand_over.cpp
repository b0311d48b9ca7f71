// How a worker leaves its thread, and how the fiber that stays comes back to one.
#include <ramie/scheduler/hand_over.hpp>

#include <ramie/scheduler/parked.hpp>

#include "scheduler/scheduler.hpp"

#include <new>
#include <utility>

namespace ramie::detail {

// By the thread that holds it. From the hand-over on the worker is the other thread's.
bool whole_worker::leave_thread() noexcept {
  if (m_current == nullptr || m_backend != nullptr || m_loops_within != 0) return false;
  if (!m_forks.empty()) give_forks_away();  // H1
  fiber& self = *m_current;
  carrier& mine = *m_carrier;
  scheduler& shared = m_shared;  // the worker is not this thread's after H3
  if (m_observer != nullptr) [[unlikely]]
    m_observer->suspended(self.current_task->id(), m_index);
  self.change_state(fiber_state::running, fiber_state::suspended);
  mine.without_worker = &self;  // H2
  mine.last_index = m_index;
  detach_driver();
  m_current = nullptr;
  m_carrier = nullptr;
  m_exceptions = nullptr;
  context::set_thread_slot(nullptr);
  if (waiting_threads<whole_worker>::place* const waiting = shared.without_worker().take()) {
    waiting->hand(*this);  // H3
    return true;
  }
  if (shared.start_carrier(*this)) return true;  // H3
  attach_driver_if_possible();
  context::set_thread_slot(static_cast<worker*>(this));
  m_exceptions = mine.exceptions;
  m_carrier = &mine;
  m_current = &self;
  mine.without_worker = nullptr;
  self.change_state(fiber_state::suspended, fiber_state::running);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->resumed(self.current_task->id(), m_index);
  return false;
}

// H4. The code behind the switch may run on another thread.
void whole_worker::come_back(carrier& by) {
  context::execution& self = by.without_worker->execution;
  void* const on = context::switch_execution(*by.exceptions, self, by.loop, nullptr);
  whole(*static_cast<worker*>(on)).arrive();
}

void publish_returned(carrier& by) noexcept { wake(*std::exchange(by.without_worker, nullptr)); }

fiber* running_fiber() {
  if (const worker* const here = worker::current()) return here->current_fiber();
  const carrier* const by = carrier::of_this_thread();
  return by != nullptr ? by->without_worker : nullptr;
}

bool is_within(const runtime& home) {
  if (const worker* const here = worker::current()) return &here->home() == &home;
  const fiber* const running = running_fiber();
  return running != nullptr && &running->home() == &home;
}

without_worker::without_worker() {
  whole_worker* const here = whole_worker::current();
  m_given_away = here != nullptr && here->leave_thread();
}

without_worker::~without_worker() {
  if (!m_given_away) return;
  carrier* const by = carrier::of_this_thread();
  if (by == nullptr) return;  // in a child made by fork(), where the fiber has no worker to come back to
  whole_worker::come_back(*by);
}

}  // namespace ramie::detail
