// The wake path.
#include <ramie/scheduler/parked.hpp>

#include <ramie/scheduler/hand_over.hpp>

#include "scheduler/scheduler.hpp"

#include <span>

namespace ramie {
namespace {

void report_woken(observer* events, const fiber& woken, const fiber* waker) {
  if (events == nullptr) [[likely]]
    return;
  const task* const task_of_waker = waker != nullptr ? waker->current_task : nullptr;  // none between two tasks
  events->woken(woken.current_task->id(), task_of_waker != nullptr ? task_of_waker->id() : 0);
}

// More than these are worth spreading over all workers at once.
constexpr std::size_t few = 16;

[[gnu::always_inline]] inline void wake_by(const fiber* waker, worker* here, work_item& waiter) noexcept {
  if (waiter.kind == work_kind::thread) return static_cast<thread_parker&>(waiter).unpark();
  auto& woken = static_cast<fiber&>(waiter);
  report_woken(woken.home().events(), woken, waker);
  if (here != nullptr && &here->home() == &woken.home()) [[likely]]
    return here->push_ready(woken);
  woken.change_state(fiber_state::suspended, fiber_state::ready);
  woken.home().shared().inject(woken);
}

}  // namespace

void wake(work_item& waiter) noexcept {
  worker* const here = worker::current();
  wake_by(here != nullptr ? here->current_fiber() : detail::running_fiber(), here, waiter);
}

void wake_by_nobody(work_item& waiter) noexcept { wake_by(nullptr, worker::current(), waiter); }

void wake_fibers(work_item* const* first, std::size_t count) noexcept {
  const std::span all(first, count);
  if (count <= few) {
    for (work_item* const each : all) wake(*each);
    return;
  }
  runtime& home = static_cast<fiber&>(*first[0]).home();
  const fiber* const waker = detail::running_fiber();
  for (work_item* const each : all) {
    auto& woken = static_cast<fiber&>(*each);
    woken.change_state(fiber_state::suspended, fiber_state::ready);
    report_woken(home.events(), woken, waker);
  }
  home.shared().inject(all);
}

void wake_all(runtime* home, waiter_bundle& first, waiter_bundle& last) noexcept {
  if (home == nullptr || (&first == &last && first.count <= few)) {
    return detail::wake_each(first, [](work_item& waiter) { wake(waiter); });
  }
  if (RAMIE_ASSERTIONS != 0 || home->events() != nullptr) {
    const fiber* const waker = detail::running_fiber();
    for (const waiter_bundle* each = &first; each != nullptr; each = each->next) {
      for (work_item* const waiter : std::span(each->items).first(each->count)) {
        auto& woken = static_cast<fiber&>(*waiter);
        woken.change_state(fiber_state::suspended, fiber_state::ready);
        report_woken(home->events(), woken, waker);
      }
    }
  }
  home->shared().inject(first, last);
}

}  // namespace ramie
