// The switch itself, as it is inlined wherever a fiber waits. What to switch to is chosen out of line, before it.
#pragma once

#include <ramie/scheduler/worker.hpp>

namespace ramie {

[[gnu::always_inline]] inline void* worker::transfer(context::execution& from, context::execution& to) {
  m_counters.switches.add();
  if (m_backend != nullptr) [[unlikely]]
    return transfer_by_backend(from, to);
  return context::switch_execution(*m_exceptions, from, to, this);
}

// The far side: what was left can now be published.
[[gnu::always_inline]] inline void worker::arrive() {
  if (m_after.action != nullptr) {
    const pending_action after = m_after;
    m_after.action = nullptr;
    after.action(*this, *after.left, after.argument);
  }
}

[[gnu::always_inline]] inline worker& worker::leave(context::execution& from, context::execution& to) {
  auto& now_on = *static_cast<worker*>(transfer(from, to));
  now_on.arrive();
  return now_on;
}

[[gnu::always_inline]] inline worker& worker::suspend(after_switch action, void* argument) {
  context::execution& self = m_current->execution;
  return leave(self, begin_suspend(action, argument));
}

[[gnu::always_inline]] inline worker& worker::yield() {
  context::execution& self = m_current->execution;
  context::execution* const to = begin_yield();
  return to != nullptr ? leave(self, *to) : *this;
}

[[gnu::always_inline]] inline bool worker::run_child_first(task& child) {
  context::execution& self = m_current->execution;
  context::execution* const to = begin_child(child);
  if (to == nullptr) [[unlikely]]
    return false;
  leave(self, *to);
  return true;
}

}  // namespace ramie
