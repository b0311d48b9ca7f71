// The exception by which the end of a scope's time is seen.
#pragma once

#include <ramie/scheduler/wake_reason.hpp>

namespace ramie {

/// Thrown by a wait that the cancellation of the surrounding scope has ended (sync/scope.hpp), after the wait has given
/// back its place: it has got nothing. A limit that was given to the wait itself is no scope's: that is a wake_reason.
///
/// No std::exception, as boost::thread_interrupted is none: `catch (const std::exception&)` around a request that
/// failed logs it and goes on with the next, which is what a cancelled fiber must not do. `catch (...)` swallows it,
/// and then the next wait throws it again: a scope stays cancelled.
class cancelled {
 public:
  explicit cancelled(wake_reason why = wake_reason::cancelled) noexcept : m_why(why) {}
  /// cancelled: a stop was requested. timed_out: the scope's deadline has passed.
  [[nodiscard]] wake_reason reason() const noexcept { return m_why; }

 private:
  wake_reason m_why;
};

/// Throws cancelled where a wait would: for loops that compute. Any fiber or thread. About 30 ns within a scope, 2 ns
/// elsewhere.
void throw_if_cancelled();

/// While it lives, waits of the fiber or thread that made it are not ended by the scopes around it, and scopes that it
/// opens are not cancelled with them. For cleanup in a `catch` block: waits during unwinding, and those in functions
/// that no exception may leave, as in most destructors, are shielded by themselves. To be destroyed where it was made,
/// in reverse order. Does nothing outside of scopes.
class shield;

}  // namespace ramie
