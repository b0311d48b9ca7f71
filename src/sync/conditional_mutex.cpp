#include <ramie/sync/conditional_mutex.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/sync/give_processor.hpp>
#include <ramie/sync/wait_in.hpp>

namespace ramie {
namespace {

using native_conditional_core = detail::conditional_core<>;

[[noreturn, gnu::cold]] void nobody_owns_conditional() {
  detail::fail("a conditional_mutex was unlocked that nobody owns.", "Unlock what was locked, and once.");
}

struct while_owned {
  native_conditional_core& of;
  bool& owned;
  [[nodiscard]] bool enqueue(native_conditional_core::node& mine) const {
    if (owned) {
      owned = false;
      detail::count_given_up_lock();
      of.enqueue_and_unlock(mine, &wake);
    } else {
      of.enqueue_again(mine, &wake);
    }
    return true;
  }
  void withdraw(native_conditional_core::node& mine) const { of.withdraw(mine); }
};

}  // namespace

void conditional_mutex::lock() {
  if (!m_core.try_lock()) {
    native_conditional_core::node mine;
    detail::wait_in(m_core, mine, "lock()");
  }
  detail::count_owned_lock();
}

wake_reason conditional_mutex::lock(const wait_limits& limits) {
  wake_reason reason = wake_reason::woken;
  if (!m_core.try_lock()) {
    native_conditional_core::node mine;
    reason = detail::wait_in(m_core, mine, "lock()", limits);
  }
  detail::count_owned_lock_if(reason == wake_reason::woken);
  return reason;
}

void conditional_mutex::unlock() {
  detail::count_given_up_lock();
  if (!m_core.unlock(&wake)) nobody_owns_conditional();
}

void conditional_mutex::unlock_to_next() {
  detail::count_given_up_lock();
  native_conditional_core::node* next = nullptr;
  if (!m_core.unlock(next, &wake)) nobody_owns_conditional();
  if (next != nullptr) detail::give_processor_to(*next);
}

void conditional_mutex::lock_when_slowly(const detail::function_ref<bool()>& condition) {
  lock();
  static_cast<void>(wait_for(condition, wait_limits(std::stop_token())));
}

wake_reason conditional_mutex::lock_when_slowly(const detail::function_ref<bool()>& condition,
                                                const wait_limits& limits) {
  const wake_reason reason = lock(limits);
  return reason == wake_reason::woken ? wait_for(condition, limits) : reason;
}

// The owner. The wait has a record always: conditions of others are evaluated before the switch.
wake_reason conditional_mutex::wait_for(const detail::function_ref<bool()>& condition, const wait_limits& limits) {
  bool owned = true;
  try {
    if (condition()) return wake_reason::woken;
    native_conditional_core::node mine(condition);
    const while_owned waits{m_core, owned};
    const wake_reason reason = detail::wait_in(waits, mine, "lock_when()", limits);
    if (reason != wake_reason::woken) return reason;
    if (mine.error() != nullptr) std::rethrow_exception(mine.error());
    detail::count_owned_lock();
    return reason;
  } catch (...) {
    if (owned) unlock();
    throw;
  }
}

void conditional_mutex::destroyed() const {
  detail::fail(m_core.has_waiters() ? "a conditional_mutex was destroyed while fibers or threads wait for it."
                                    : "a conditional_mutex was destroyed while somebody owns it.",
               "Let them finish first.");
}

}  // namespace ramie
