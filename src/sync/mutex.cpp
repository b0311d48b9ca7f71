#include <ramie/sync/mutex.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/sync/give_processor.hpp>
#include <ramie/sync/wait_in.hpp>

#include <limits>
#include <system_error>

namespace ramie {
namespace detail {

#if RAMIE_ASSERTIONS
void change_owned_locks(int by) noexcept {
  if (fiber* const mine = running_fiber()) mine->owned_locks += by;
}
#endif

void give_processor_to(wait_node<>& next) {
  work_item* sleeper = nullptr;  // null: it has not gone to sleep, and goes on by itself
  next.finish([&](work_item& waiter) { sleeper = &waiter; });
  worker* const here = worker::current();
  const bool on_fiber = here != nullptr && here->current_fiber() != nullptr;
  if (on_fiber && sleeper != nullptr && sleeper->kind == work_kind::fiber) {
    auto& waiting = static_cast<fiber&>(*sleeper);
    if (&waiting.home() == &here->home()) {
      here->yield_to(waiting);
      return;
    }
  }
  if (sleeper != nullptr) wake(*sleeper);
  if (on_fiber) here->yield();
}

}  // namespace detail

namespace {

using native_mutex_core = detail::mutex_core<>;

[[noreturn, gnu::cold]] void nobody_owns_mutex() {
  detail::fail("a mutex was unlocked that nobody owns.", "Unlock what was locked, and once.");
}

// One call of lock() that has to wait.
class mutex_attempt {
 public:
  explicit mutex_attempt(native_mutex_core& of) : m_core(of) {}
  mutex_attempt(const mutex_attempt&) = delete;
  mutex_attempt& operator=(const mutex_attempt&) = delete;
  ~mutex_attempt() {
    if (m_node.has_turn()) [[unlikely]]  // the wait has thrown
      withdraw(m_node);
  }

  void wait() {
    do detail::wait_in(*this, m_node, "lock()");
    while (!got());
  }
  wake_reason wait(const wait_limits& limits) {
    for (;;) {
      const wake_reason reason = detail::wait_in(*this, m_node, "lock()", limits);
      if (reason != wake_reason::woken || got()) return reason;
    }
  }

  // For wait_in().
  [[nodiscard]] bool enqueue(native_mutex_core::node& mine) { return m_core.enqueue(mine); }
  void withdraw(native_mutex_core::node& mine) { m_core.withdraw(mine, &wake); }

 private:
  [[nodiscard]] bool got() { return m_node.owns() || m_core.try_lock_in_turn(m_node); }

  native_mutex_core& m_core;
  native_mutex_core::node m_node;
};

// A thread's sleep costs more than most critical sections.
bool got_while_spinning(native_mutex_core& of) {
  if (worker::current() != nullptr) return of.try_lock();
  for (int left = native_provider::spins(100); left > 0; --left) {
    if (of.try_lock()) return true;
    native_provider::pause();
  }
  return of.try_lock();
}

}  // namespace

void mutex::lock_slowly() {
  if (!got_while_spinning(m_core)) mutex_attempt(m_core).wait();
}

wake_reason mutex::lock(const wait_limits& limits) {
  const wake_reason reason = m_core.try_lock() ? wake_reason::woken : mutex_attempt(m_core).wait(limits);
  detail::count_owned_lock_if(reason == wake_reason::woken);
  return reason;
}

void mutex::unlock_slowly() {
  if (!m_core.unlock(&wake)) nobody_owns_mutex();
}

void mutex::unlock_to_next() {
  detail::count_given_up_lock();
  native_mutex_core::node* next = nullptr;
  const native_mutex_core::handed handed = m_core.unlock_to_next(next);
  if (handed == native_mutex_core::handed::not_held) nobody_owns_mutex();
  if (handed == native_mutex_core::handed::to_waiter) detail::give_processor_to(*next);
}

void mutex::destroyed() const {
  detail::fail(m_core.has_waiters() ? "a mutex was destroyed while fibers or threads wait for it."
                                    : "a mutex was destroyed while somebody owns it.",
               "Let them finish first.");
}

// ---- recursive_mutex ----

namespace {

// The calling fiber, with a worker or without; else the thread.
const void* owner_here() {
  if (const fiber* const mine = detail::running_fiber()) return mine;
  return &thread_parker::of_this_thread();
}

}  // namespace

bool recursive_mutex::lock_again(const void* me) {
  if (m_owner.load(std::memory_order_relaxed) != me) return false;
  if (m_depth == std::numeric_limits<std::uint32_t>::max()) {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                            "a recursive_mutex cannot be locked more often");
  }
  ++m_depth;
  return true;
}

void recursive_mutex::begin(const void* me) {
  m_owner.store(me, std::memory_order_relaxed);
  m_depth = 1;
}

void recursive_mutex::lock() {
  const void* const me = owner_here();
  if (lock_again(me)) return;
  m_mutex.lock();
  begin(me);
}

bool recursive_mutex::try_lock() noexcept {
  const void* const me = owner_here();
  if (m_owner.load(std::memory_order_relaxed) == me) {
    if (m_depth == std::numeric_limits<std::uint32_t>::max()) return false;
    return lock_again(me);
  }
  if (!m_mutex.try_lock()) return false;
  begin(me);
  return true;
}

wake_reason recursive_mutex::lock(const wait_limits& limits) {
  const void* const me = owner_here();
  if (lock_again(me)) return wake_reason::woken;
  const wake_reason reason = m_mutex.lock(limits);
  if (reason == wake_reason::woken) begin(me);
  return reason;
}

void recursive_mutex::unlock() {
  if (m_owner.load(std::memory_order_relaxed) != owner_here()) {
    detail::fail("a recursive_mutex was unlocked by a fiber or thread that does not own it.",
                 "Its owner unlocks it, as often as it has locked it.");
  }
  if (--m_depth != 0) return;
  m_owner.store(nullptr, std::memory_order_relaxed);
  m_mutex.unlock();
}

}  // namespace ramie
