// Limits of a wait: a deadline, and a request to stop.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/base/time.hpp>
#include <ramie/scheduler/deadline.hpp>
#include <ramie/scheduler/wake_reason.hpp>

#include <stop_token>
#include <utility>

namespace ramie {

/// A deadline, a stop token, or both, made of what one has at hand:
///
///     handle.wait(100ms);                                    // from now on
///     handle.wait(std::chrono::steady_clock::now() + 1s);    // a point of any clock's time
///     handle.wait(token);                                    // until somebody requests a stop
///     handle.wait({1s, token});
///
/// A duration counts from where the limits are made. A deadline of another clock than the steady one is converted
/// there, so setting that clock afterwards changes nothing. A limit too far away to be counted is never; a limit that
/// is no number has passed.
///
/// A std::stop_callback of the program's own for the same stop source must not block the fiber that requests the stop:
/// the standard library runs all callbacks on the thread on which the request began. It takes that thread by its id,
/// which compilers read once a function. So a function that has requested a stop, and then waits, must not request
/// another one by itself: a wait that this ends may return while the callback for it is still running.
class wait_limits {
 public:
  template <class Rep, class Period>
  wait_limits(std::chrono::duration<Rep, Period> at_most,  // NOLINT(google-explicit-constructor): see above
              std::stop_token stop = {})
      : m_stop(std::move(stop)), m_deadline(after(std::chrono::duration<double, std::nano>(at_most).count())) {}
  template <class Clock, class Duration>
  wait_limits(std::chrono::time_point<Clock, Duration> until,  // NOLINT(google-explicit-constructor)
              std::stop_token stop = {})
      : wait_limits(from_now(until.time_since_epoch(), Clock::now().time_since_epoch()), std::move(stop)) {}
  template <class Duration>
  wait_limits(
      std::chrono::time_point<std::chrono::steady_clock, Duration> until,  // NOLINT(google-explicit-constructor)
      std::stop_token stop = {})
      : m_stop(std::move(stop)), m_deadline(at(until.time_since_epoch())) {}
  wait_limits(std::stop_token stop) : m_stop(std::move(stop)) {}  // NOLINT(google-explicit-constructor)

  // ---- For wait.cpp ----

  [[nodiscard]] const std::stop_token& stop() const { return m_stop; }
  /// no_deadline, past_deadline, or one that lay in the future when the limits were made.
  [[nodiscard]] detail::deadline_ns deadline() const { return m_deadline; }

 private:
  template <class Rep, class Period>
  static detail::deadline_ns at(std::chrono::duration<Rep, Period> since_epoch) {
    const double count = std::chrono::duration<double, std::nano>(since_epoch).count();
    if (!(count > 0)) return detail::past_deadline;
    if (count >= farthest) return detail::no_deadline;
    const auto deadline = std::chrono::ceil<std::chrono::nanoseconds>(since_epoch).count();
    return deadline <= detail::deadline_of(native_provider::now()) ? detail::past_deadline : deadline;
  }
  // Of another clock. A far limit is not subtracted in integers, which may be too small for it.
  template <class Until, class Now>
  static std::chrono::duration<double, std::nano> from_now(Until until, Now now) {
    using nanoseconds = std::chrono::duration<double, std::nano>;
    const nanoseconds roughly = nanoseconds(until) - nanoseconds(now);
    if (roughly.count() > farthest / 2 || roughly.count() < -farthest / 2) return roughly;
    return nanoseconds(until - now);
  }
  static detail::deadline_ns after(double nanoseconds) {
    if (!(nanoseconds > 0)) return detail::past_deadline;
    if (nanoseconds >= farthest) return detail::no_deadline;
    return detail::deadline_of(native_provider::now()) + static_cast<detail::deadline_ns>(nanoseconds) + 1;
  }
  static constexpr double farthest = 4e18;  // 126 years: so far from now it can still be counted

  std::stop_token m_stop;
  detail::deadline_ns m_deadline = detail::no_deadline;
};

}  // namespace ramie
