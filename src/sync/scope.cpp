#include <ramie/sync/scope.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace ramie {
namespace {

std::string message_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

std::string message_of(const std::vector<std::exception_ptr>& all) {
  std::string text = std::to_string(all.size()) + " failures in a scope; the first: " + message_of(all.front());
  return text + "; all() has the others";
}

}  // namespace

scope_failures::scope_failures(std::vector<std::exception_ptr> all)
    : m_all(std::move(all)), m_what(message_of(m_all)) {}

namespace detail {

scope_state::scope_state(const scope_options& how) : scope_state(how, cancellation_for_scope()) {}

scope_state::scope_state(const scope_options& how, cancellation* around)
    : m_cancelling(
          around != nullptr ? std::min(around->deadline(), how.limits.deadline()) : how.limits.deadline(),
          around != nullptr && around->deadline() <= how.limits.deadline() ? &around->deadline_owner() : nullptr) {
  if (how.most_children != 0) {
    constexpr std::size_t most = counting_semaphore<>::max();
    m_room.emplace(static_cast<std::ptrdiff_t>(std::min(how.most_children, most)));
  }
  if (around != nullptr) m_around.emplace(around->token(), canceller{m_cancelling});
  if (how.limits.stop().stop_possible()) m_outside.emplace(how.limits.stop(), canceller{m_cancelling});
}

scope_state::~scope_state() = default;

void scope_state::begin_child() {
  throw_if_cancelled();
  if (m_room.has_value()) m_room->acquire();
  m_children.add();
}

void scope_state::child_ended() noexcept {
  if (m_room.has_value()) m_room->release();
  m_children.decrement();
}

std::exception_ptr scope_state::keep_caught() noexcept {
  const fiber* const mine = running_fiber();
  std::exception_ptr caught = caught_in(mine != nullptr ? mine->current_task : nullptr);
  bool was_cancelled = false;
  try {
    std::rethrow_exception(caught);
  } catch (const cancelled&) {
    was_cancelled = m_cancelling.is_over();
  } catch (...) {  // NOLINT(bugprone-empty-catch): a failure
  }
  if (was_cancelled) {
    m_was_felt.store(true, std::memory_order_relaxed);
  } else {
    m_cancelling.add_failure(caught);
  }
  return caught;
}

void scope_state::join() noexcept {
  const surrounded by_nothing(nullptr);
  wait_for_counter(m_children);
  m_outside.reset();
  m_around.reset();
}

void scope_state::throw_failures(const std::exception_ptr& left) {
  std::vector<std::exception_ptr> failures = m_cancelling.take_failures();
  if (failures.size() == 1) std::rethrow_exception(failures.front());
  if (failures.size() > 1) throw scope_failures(std::move(failures));
  const bool asked = m_cancelling.cause() == cancel_cause::asked;
  if (left != nullptr || (!asked && m_was_felt.load(std::memory_order_relaxed))) throw cancelled(m_cancelling.reason());
}

}  // namespace detail
}  // namespace ramie
