// Waiters: suspended fibers and sleeping kernel threads, each as one word.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/waiter_bundle.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <cstddef>

namespace ramie {

class runtime;
namespace detail {
struct surroundings;
}

/// How a kernel thread that is no fiber waits. One a thread, reused for every wait.
class thread_parker : public work_item {
 public:
  thread_parker() : work_item(work_kind::thread) {}

  /// The calling thread's own. Never call it on a fiber.
  static thread_parker& of_this_thread() { return native_provider::of_this_thread<thread_parker>(); }

  const detail::surroundings* around = nullptr;  // of the thread, while it runs no fiber; see surroundings.hpp

  /// Sleeps until unpark() has been called once since the last park() returned.
  void park() { m_word.park(); }
  /// The same, but at most until the deadline. False: the time has run out, and no unpark() has come.
  [[nodiscard]] bool park_until(detail::deadline_ns deadline) { return m_word.park_until(deadline); }
  /// Any thread, once for each park(). The parked thread may end before this returns.
  void unpark() { m_word.unpark(); }

 private:
  detail::park_word<> m_word;
};

/// THE wake path: every fiber and thread that waits for anything goes on through one of these.
///
/// Makes one waiter go on. The waiter must have left its stack completely (see suspend()), and nobody else may wake it.
/// Any thread. A fiber of the calling worker's runtime joins that worker's FIFO lane; others go through the injector of
/// their own runtime. Never fails and allocates nothing; takes locks of nanoseconds, and a system call where it wakes a
/// thread. The waiter may run, and end, before this returns.
void wake(work_item& waiter) noexcept;

/// The same for a waiter whose deadline has come: observers are told that no fiber has woken it.
void wake_by_nobody(work_item& waiter) noexcept;

/// The same for `count` fibers of one runtime; count > 0. One operation for all of them if they are many.
void wake_fibers(work_item* const* first, std::size_t count) noexcept;

/// The same for all waiters in the bundles from `first` to `last`: fibers of `home`, or kernel threads where home
/// is null. One operation for all of them if they are many. The bundles may be gone when this returns.
void wake_all(runtime* home, waiter_bundle& first, waiter_bundle& last) noexcept;

}  // namespace ramie
