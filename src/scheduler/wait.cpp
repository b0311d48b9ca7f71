// Waits that may end for several reasons, and those off fibers.
#include <ramie/scheduler/wait.hpp>

#include <ramie/scheduler/cancellation.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/sleep.hpp>
#include <ramie/scheduler/spawn.hpp>

#include "scheduler/scheduler.hpp"
#include "scheduler/throw_would_terminate.hpp"

#include <new>
#include <optional>

namespace ramie::detail {
namespace {

using record = wait_record<work_item>;

// Any thread.
void end_wait(record& of, wake_reason reason) noexcept {
  if (!of.claim(reason)) return;
  if (work_item* const sleeper = of.finish()) wake(*sleeper);
}

// In the heap of the worker on which the fiber is when it begins to wait.
class heap_timer {
 public:
  heap_timer() = default;
  heap_timer(const heap_timer&) = delete;
  heap_timer& operator=(const heap_timer&) = delete;
  ~heap_timer() {
    if (m_heap != nullptr) m_heap->take_back(*m_timer);
  }
  void add(whole_worker& here, record& of, deadline_ns when) {
    m_timer.emplace(of, when);
    m_heap = &here.add_timer(*m_timer);
  }

 private:
  std::optional<timer_heap<work_item>::timer> m_timer;
  timer_heap<work_item>* m_heap = nullptr;
};

void block_fiber(whole_worker& here, record& mine) {
  here.suspend(
      [](worker& on, fiber& left, void* of) {
        if (!static_cast<record*>(of)->park()) on.push_ready(left);
        if (whole(on).owes_timekeeper() && on.current_fiber() != nullptr) whole(on).wake_owed_timekeeper();
      },
      &mine);
}

void block_thread(record& mine, deadline_ns deadline) {
  if (!mine.park()) return;
  auto& me = static_cast<thread_parker&>(mine.waiter);
  if (me.park_until(deadline)) return;
  if (mine.claim(wake_reason::timed_out)) {
    static_cast<void>(mine.finish());  // this thread is awake; others may ask whether the wait is over
  } else {
    me.park();  // somebody else has claimed the record, and will unpark this thread
  }
}

void block_between_fibers(whole_worker& here, record& mine, deadline_ns deadline) {
  here.work_until([&mine, deadline] {
    if (!mine.is_finished() && deadline_of(native_provider::now()) >= deadline) end_wait(mine, wake_reason::timed_out);
    return mine.is_finished();
  });
}

}  // namespace

// The three below are no part of their callers. A fiber without its worker comes here too, and what says which thread
// this is (the thread's own parker; pthread_self() in the destructor of a stop_callback) is for compilers a constant of
// the function in which it is asked for: in a function that holds two waits it would be the thread of the first wait.

[[gnu::noinline]] void wait_off_fiber(function_ref<bool(work_item&)> set_waiter, function_ref<bool()> is_done) {
  if (whole_worker* const here = whole_worker::current()) return here->work_until(is_done);
  thread_parker& me = thread_parker::of_this_thread();
  if (set_waiter(me)) me.park();
}

[[gnu::noinline]] work_item& this_waiter() {
  if (const worker* const here = worker::current(); here != nullptr && here->current_fiber() != nullptr)
    return *here->current_fiber();
  return thread_parker::of_this_thread();
}

namespace {

// One wait. `scope` may be null; sets by_scope where that has ended the wait.
[[gnu::noinline]] wake_reason wait_once(record& mine, function_ref<bool()> enqueue, function_ref<void()> withdraw,
                                        const wait_limits& limits, const cancellation* scope, bool& by_scope) {
  whole_worker* const here = whole_worker::current();
  const bool on_fiber = here != nullptr && here->current_fiber() != nullptr;
  const bool scope_first = scope != nullptr && scope->deadline() < limits.deadline();
  const deadline_ns deadline = scope_first ? scope->deadline() : limits.deadline();
  bool is_there = false;
  bool has_blocked = false;
  {
    heap_timer timer;
    if (on_fiber && deadline != no_deadline && deadline != past_deadline) timer.add(*here, mine, deadline);
    const auto cancel = [&mine] { end_wait(mine, wake_reason::cancelled); };
    const std::stop_callback<decltype(cancel)> stop(limits.stop(), cancel);
    const auto cancel_with_scope = [&mine, &by_scope] {
      if (!mine.claim(wake_reason::cancelled)) return;
      by_scope = true;  // published by finish()
      if (work_item* const sleeper = mine.finish()) wake(*sleeper);
    };
    const std::stop_callback<decltype(cancel_with_scope)> scope_stop(
        scope != nullptr ? scope->token() : std::stop_token(), cancel_with_scope);
    is_there = !enqueue();
    if (is_there) {
      // The waiter has not parked, so nothing wakes it; but a claimant must be through with the record.
      if (!mine.claim(wake_reason::woken)) {
        for (unsigned round = 1; !mine.is_finished(); ++round) {
          round % 64 != 0 ? native_provider::pause() : native_provider::yield_thread();
        }
      }
    } else {
      if (deadline == past_deadline) end_wait(mine, wake_reason::timed_out);
      has_blocked = !mine.is_finished();
      if (has_blocked && on_fiber) {
        block_fiber(*here, mine);
      } else if (has_blocked && here != nullptr) {
        block_between_fibers(*here, mine, deadline);
      } else if (has_blocked) {
        block_thread(mine, deadline);
      }
    }
  }
  if (on_fiber && !has_blocked && here->owes_timekeeper()) here->wake_owed_timekeeper();
  if (is_there) {
    by_scope = false;
    return wake_reason::woken;
  }
  const wake_reason reason = mine.reason();
  if (reason != wake_reason::woken) withdraw();
  if (reason == wake_reason::timed_out && scope_first) by_scope = true;
  if (on_fiber && !has_blocked) here->yield();  // a fiber that asks again and again lets others run
  return reason;
}

}  // namespace

[[gnu::noinline]] wake_reason wait_until(record& mine, function_ref<bool()> enqueue, function_ref<void()> withdraw,
                                         const wait_limits& limits) {
  cancellation* scope = current_cancellation();
  // Known beforehand, where many waits follow each other: a loop that waits for a condition.
  if (scope != nullptr && scope->is_over() && throw_would_terminate()) scope = nullptr;
  bool by_scope = false;
  wake_reason reason{};
  bool has_room = true;
  try {
    reason = wait_once(mine, enqueue, withdraw, limits, scope, by_scope);
  } catch (const std::bad_alloc&) {
    // For the scope's deadline, which a wait that is shielded need not have.
    if (scope == nullptr || limits.deadline() <= scope->deadline() || !throw_would_terminate()) throw;
    has_room = false;
  }
  if (!has_room) [[unlikely]]
    return wait_once(mine, enqueue, withdraw, limits, nullptr, by_scope);
  if (!by_scope) [[likely]]
    return reason;
  if (reason == wake_reason::timed_out) scope->expire();
  if (!throw_would_terminate()) throw cancelled(scope->reason());
  mine.begin_again();
  return wait_once(mine, enqueue, withdraw, limits, nullptr, by_scope);
}

wake_reason sleep(const wait_limits& limits) {
  // Fibers of the process's runtime may be the ones to request the stop.
  if (limits.stop().stop_possible() && worker::current() == nullptr && running_fiber() == nullptr)
    have_process_runtime_run(nullptr);
  record mine(this_waiter());
  return wait_until(mine, [] { return true; }, [] {}, limits);
}

}  // namespace ramie::detail
