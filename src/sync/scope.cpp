#include <ramie/sync/scope.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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

std::string message_of(const detail::failure_list& all) {
  std::string text = std::to_string(all.size()) + " failures in a scope; the first: " + message_of(all.first());
  text += "; all() has the others";
  if (all.lost() != 0) text += ", but for " + std::to_string(all.lost()) + " that there was no memory for";
  return text;
}

}  // namespace

struct detail::shared_failures {
  explicit shared_failures(const failure_list& failures) : what(message_of(failures)) {
    all.reserve(failures.size());
    failures.for_each([this](const std::exception_ptr& each) { all.push_back(each); });
  }
  native_provider::atomic<std::uint32_t> owners{1};
  std::string what;
  std::vector<std::exception_ptr> all;
};

scope_failures::scope_failures(const detail::failure_list& all) : m_shared(new detail::shared_failures(all)) {}
scope_failures::scope_failures(const scope_failures& other) noexcept : std::exception(other), m_shared(other.m_shared) {
  m_shared->owners.fetch_add(1, std::memory_order_relaxed);  // the other one is an owner meanwhile
}
scope_failures& scope_failures::operator=(const scope_failures& other) noexcept {
  scope_failures copy(other);
  std::swap(m_shared, copy.m_shared);
  return *this;
}
scope_failures::~scope_failures() {
  // acq_rel: the other owners' reads come before the end.
  if (m_shared->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete m_shared;
}
const char* scope_failures::what() const noexcept { return m_shared->what.c_str(); }
std::span<const std::exception_ptr> scope_failures::all() const noexcept { return m_shared->all; }

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
  const failure_list& failures = m_cancelling.failures();
  if (failures.size() == 1) std::rethrow_exception(failures.first());
  if (failures.size() > 1) throw scope_failures(failures);
  const bool asked = m_cancelling.cause() == cancel_cause::asked;
  if (left != nullptr || (!asked && m_was_felt.load(std::memory_order_relaxed))) throw cancelled(m_cancelling.reason());
}

}  // namespace detail
}  // namespace ramie
