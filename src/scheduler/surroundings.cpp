#include <ramie/scheduler/surroundings.hpp>

#include <ramie/scheduler/cancellation.hpp>
#include <ramie/scheduler/context_value.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/parked.hpp>

#include "scheduler/throw_would_terminate.hpp"

#include <mutex>
#include <new>
#include <utility>

namespace ramie {
namespace detail {

failure_list::~failure_list() {
  while (m_others != nullptr) delete std::exchange(m_others, m_others->next);
}

bool failure_list::has(const std::exception_ptr& failure) const noexcept {
  if (m_count == 0) return false;
  if (m_first == failure) return true;
  unsigned left = 1000;  // looked at under a lock
  for (const node* each = m_others; each != nullptr && --left != 0; each = each->next) {
    if (each->failure == failure) return true;
  }
  return false;
}

void failure_list::add(std::exception_ptr failure) noexcept {
  if (has(failure)) return;
  if (m_count++ == 0) {
    m_first = std::move(failure);
    return;
  }
  node* const fresh = new (std::nothrow) node{std::move(failure), nullptr};
  if (fresh == nullptr) {
    ++m_lost;
    return;
  }
  (m_others == nullptr ? m_others : m_last->next) = fresh;
  m_last = fresh;
}

bool cancellation::is_over() {
  if (m_stop.stop_requested()) return true;
  if (m_deadline == no_deadline || deadline_of(native_provider::now()) < m_deadline) return false;
  expire();
  return true;
}

wake_reason cancellation::reason() const {
  return cause() == cancel_cause::deadline ? wake_reason::timed_out : wake_reason::cancelled;
}

void cancellation::cancel(cancel_cause why) noexcept {
  cancel_cause none = cancel_cause::none;
  m_cause.compare_exchange_strong(none, why, std::memory_order_relaxed, std::memory_order_relaxed);
  m_stop.request_stop();
}

void cancellation::add_failure(std::exception_ptr failure) noexcept {
  {
    const std::lock_guard guard(m_lock);
    m_failures.add(std::move(failure));
  }
  cancel(cancel_cause::failure);
}

// No part of its callers, for the reason given in wait.cpp.
[[gnu::noinline]] const surroundings*& surroundings_slot() {
  if (fiber* const running = running_fiber()) return running->around;
  return thread_parker::of_this_thread().around;
}

[[gnu::noinline]] bool has_surroundings_off_fiber() { return surroundings_slot() != nullptr; }

cancellation* current_cancellation() {
  const surroundings* const around = surroundings_slot();
  if (around == nullptr || around->scope == nullptr) return nullptr;
  return std::uncaught_exceptions() > around->exceptions_before ? nullptr : around->scope;
}

cancellation* cancellation_for_scope() {
  cancellation* const scope = current_cancellation();
  return scope == nullptr || throw_would_terminate() ? nullptr : scope;
}

cancellation* unwinding_scope() noexcept {
  const surroundings* const around = surroundings_slot();
  return around != nullptr && std::uncaught_exceptions() > around->exceptions_before ? around->scope : nullptr;
}

void give_up(const bound_value* owned) noexcept {
  while (owned != nullptr) {
    // acq_rel: what all owners have done with the value comes before its end, with the last of them.
    if (owned->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const bound_value* const older = owned->older;
    owned->destroy(const_cast<bound_value*>(owned));
    owned = older;
  }
}

const bound_value* find_bound(const void* key) noexcept {
  const surroundings* const around = surroundings_slot();
  for (const bound_value* each = around != nullptr ? around->values : nullptr; each != nullptr; each = each->older) {
    if (each->key == key) return each;
  }
  return nullptr;
}

}  // namespace detail

void throw_if_cancelled() {
  detail::cancellation* const scope = detail::current_cancellation();
  if (scope != nullptr && scope->is_over() && !detail::throw_would_terminate()) throw cancelled(scope->reason());
}

}  // namespace ramie
