// Not for users.
//
// The end of a scope before its time: why, and the failures that have led to it.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/deadline.hpp>
#include <ramie/scheduler/failure_list.hpp>
#include <ramie/scheduler/surroundings.hpp>

#include <exception>
#include <stop_token>
#include <utility>

namespace ramie::detail {

/// Why a scope is cancelled: the first cause.
enum class cancel_cause : std::uint8_t { none, asked, failure, outside, deadline };

/// Of one scope; it outlives everything that is in the scope. The deadline is the earliest of all scopes around it, so
/// a wait looks at the innermost alone.
class cancellation {
 public:
  cancellation(deadline_ns deadline, cancellation* deadline_of)
      : m_deadline(deadline), m_deadline_of(deadline_of != nullptr ? *deadline_of : *this) {}
  cancellation(const cancellation&) = delete;
  cancellation& operator=(const cancellation&) = delete;

  [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
  [[nodiscard]] deadline_ns deadline() const { return m_deadline; }
  [[nodiscard]] cancellation& deadline_owner() { return m_deadline_of; }
  /// A deadline that has passed is seen here too.
  [[nodiscard]] bool is_over();
  [[nodiscard]] cancel_cause cause() const { return m_cause.load(std::memory_order_relaxed); }
  /// timed_out or cancelled.
  [[nodiscard]] wake_reason reason() const;

  /// Any thread. Only the first counts.
  void cancel(cancel_cause why) noexcept;
  /// A wait has found that the deadline has passed: the scope is over whose deadline that is, and those in it.
  void expire() noexcept { m_deadline_of.cancel(cancel_cause::deadline); }

  /// Any thread. Keeps it, and cancels the scope.
  void add_failure(std::exception_ptr failure) noexcept;
  /// When nobody adds any more.
  [[nodiscard]] const failure_list& failures() const { return m_failures; }

 private:
  std::stop_source m_stop;
  const deadline_ns m_deadline;
  cancellation& m_deadline_of;
  native_provider::atomic<cancel_cause> m_cause{cancel_cause::none};  // relaxed: m_stop publishes
  futex_lock<> m_lock;
  failure_list m_failures;
};

}  // namespace ramie::detail
