#include <ramie/sync/shared_mutex.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/sync/wait_in.hpp>

namespace ramie {
namespace {

using native_shared_mutex_core = detail::shared_mutex_core<>;

[[noreturn, gnu::cold]] void nobody_owns_shared(std::string_view how) {
  detail::fail(how, "Unlock what was locked, once, and as it was locked.");
}

struct as_writer {
  native_shared_mutex_core& of;
  [[nodiscard]] bool enqueue(native_shared_mutex_core::node& mine) const { return of.enqueue(mine); }
  void withdraw(native_shared_mutex_core::node& mine) const { of.withdraw(mine, &wake); }
};
struct as_reader {
  native_shared_mutex_core& of;
  [[nodiscard]] bool enqueue(native_shared_mutex_core::node& mine) const { return of.enqueue_shared(mine); }
  void withdraw(native_shared_mutex_core::node& mine) const { of.withdraw_shared(mine); }
};

}  // namespace

void shared_mutex::lock() {
  if (!m_core.try_lock()) {
    native_shared_mutex_core::node mine;
    const as_writer waits{m_core};
    detail::wait_in(waits, mine, "lock()");
  }
  detail::count_owned_lock();
}

wake_reason shared_mutex::lock(const wait_limits& limits) {
  wake_reason reason = wake_reason::woken;
  if (!m_core.try_lock()) {
    native_shared_mutex_core::node mine;
    const as_writer waits{m_core};
    reason = detail::wait_in(waits, mine, "lock()", limits);
  }
  detail::count_owned_lock_if(reason == wake_reason::woken);
  return reason;
}

void shared_mutex::unlock() {
  detail::count_given_up_lock();
  if (!m_core.unlock(&wake)) nobody_owns_shared("a shared_mutex was unlocked that nobody owns.");
}

void shared_mutex::lock_shared() {
  if (!m_core.try_lock_shared()) {
    native_shared_mutex_core::node mine;
    const as_reader waits{m_core};
    detail::wait_in(waits, mine, "lock_shared()");
  }
  detail::count_owned_lock();
}

wake_reason shared_mutex::lock_shared(const wait_limits& limits) {
  wake_reason reason = wake_reason::woken;
  if (!m_core.try_lock_shared()) {
    native_shared_mutex_core::node mine;
    const as_reader waits{m_core};
    reason = detail::wait_in(waits, mine, "lock_shared()", limits);
  }
  detail::count_owned_lock_if(reason == wake_reason::woken);
  return reason;
}

void shared_mutex::unlock_shared() {
  detail::count_given_up_lock();
  if (!m_core.unlock_shared(&wake)) nobody_owns_shared("a shared_mutex was unlocked that nobody shares.");
}

void shared_mutex::destroyed() const {
  detail::fail(m_core.has_waiters() ? "a shared_mutex was destroyed while fibers or threads wait for it."
                                    : "a shared_mutex was destroyed while somebody owns it.",
               "Let them finish first.");
}

}  // namespace ramie
