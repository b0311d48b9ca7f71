#include <ramie/sync/shared_mutex.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/sync/wait_in.hpp>

namespace ramie {
namespace {

using core = detail::shared_mutex_core<>;

void wake_waiter(work_item& waiter) { wake(waiter); }

[[noreturn, gnu::cold]] void nobody_owns(std::string_view how) {
  detail::fail(how, "Unlock what was locked, once, and as it was locked.");
}

struct as_writer {
  core& of;
  [[nodiscard]] bool enqueue(core::node& mine) const { return of.enqueue(mine); }
  void withdraw(core::node& mine) const { of.withdraw(mine, &wake_waiter); }
};
struct as_reader {
  core& of;
  [[nodiscard]] bool enqueue(core::node& mine) const { return of.enqueue_shared(mine); }
  void withdraw(core::node& mine) const { of.withdraw_shared(mine); }
};

}  // namespace

void shared_mutex::lock() {
  if (!m_core.try_lock()) {
    core::node mine;
    const as_writer waits{m_core};
    detail::wait_in(waits, mine, "lock()");
  }
  detail::count_owned_lock();
}

wake_reason shared_mutex::lock(const wait_limits& limits) {
  wake_reason reason = wake_reason::woken;
  if (!m_core.try_lock()) {
    core::node mine;
    const as_writer waits{m_core};
    reason = detail::wait_in(waits, mine, "lock()", limits);
  }
  detail::count_owned_lock_if(reason == wake_reason::woken);
  return reason;
}

void shared_mutex::unlock() {
  detail::count_given_up_lock();
  if (!m_core.unlock(&wake_waiter)) nobody_owns("a shared_mutex was unlocked that nobody owns.");
}

void shared_mutex::lock_shared() {
  if (!m_core.try_lock_shared()) {
    core::node mine;
    const as_reader waits{m_core};
    detail::wait_in(waits, mine, "lock_shared()");
  }
  detail::count_owned_lock();
}

wake_reason shared_mutex::lock_shared(const wait_limits& limits) {
  wake_reason reason = wake_reason::woken;
  if (!m_core.try_lock_shared()) {
    core::node mine;
    const as_reader waits{m_core};
    reason = detail::wait_in(waits, mine, "lock_shared()", limits);
  }
  detail::count_owned_lock_if(reason == wake_reason::woken);
  return reason;
}

void shared_mutex::unlock_shared() {
  detail::count_given_up_lock();
  if (!m_core.unlock_shared(&wake_waiter)) nobody_owns("a shared_mutex was unlocked that nobody shares.");
}

void shared_mutex::destroyed() const {
  detail::fail(m_core.has_waiters() ? "a shared_mutex was destroyed while fibers or threads wait for it."
                                    : "a shared_mutex was destroyed while somebody owns it.",
               "Let them finish first.");
}

}  // namespace ramie
