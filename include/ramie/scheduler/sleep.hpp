// Waiting for nothing but time.
#pragma once

#include <ramie/base/time.hpp>
#include <ramie/scheduler/wait_limits.hpp>

#include <stop_token>
#include <utility>

namespace ramie {

namespace detail {
wake_reason sleep(const wait_limits& limits);
}

/// Waits for a time, or until a stop is requested: timed_out or cancelled. Blocks the calling fiber, not its worker; on
/// a thread that runs no fiber, the thread. Needs no thread of its own: deadlines are kept in a heap of the worker,
/// O(log n). Late by what the kernel takes to wake a thread (its timer slack is 50 µs), or, where all workers are busy,
/// by what is left until one of them polls (poll_pace.hpp). A time that has passed is a yield. Throws std::bad_alloc
/// where the heap has no room.
template <class Rep, class Period>
wake_reason sleep_for(std::chrono::duration<Rep, Period> time, std::stop_token stop = {}) {
  return detail::sleep({time, std::move(stop)});
}
/// The same until a point of time, by any clock.
template <class Clock, class Duration>
wake_reason sleep_until(std::chrono::time_point<Clock, Duration> when, std::stop_token stop = {}) {
  return detail::sleep({when, std::move(stop)});
}

}  // namespace ramie
