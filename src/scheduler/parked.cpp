// The wake path.
#include <ramie/scheduler/parked.hpp>

#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

#include <span>

namespace ramie {
namespace {

void report_woken(observer* events, const fiber& woken, const worker* here) {
  if (events == nullptr) [[likely]]
    return;
  const fiber* const waker = here != nullptr ? here->current_fiber() : nullptr;
  const task* const task_of_waker = waker != nullptr ? waker->current_task : nullptr;  // none between two tasks
  events->woken(woken.current_task->id(), task_of_waker != nullptr ? task_of_waker->id() : 0);
}

// More than these are worth spreading over all workers at once.
constexpr std::size_t few = 16;

}  // namespace

void wake(work_item& waiter) noexcept {
  if (waiter.kind == work_kind::thread) return static_cast<thread_parker&>(waiter).unpark();
  auto& woken = static_cast<fiber&>(waiter);
  worker* const here = worker::current();
  report_woken(woken.home().events(), woken, here);
  if (here != nullptr && &here->home() == &woken.home()) [[likely]]
    return here->push_ready(woken);
  woken.change_state(fiber_state::suspended, fiber_state::ready);
  woken.home().inject(woken);
}

void wake_all(runtime* home, waiter_bundle& first, waiter_bundle& last) noexcept {
  if (home == nullptr || (&first == &last && first.count <= few)) {
    return detail::wake_each(first, [](work_item& waiter) { wake(waiter); });
  }
  if (RAMIE_ASSERTIONS != 0 || home->events() != nullptr) {
    const worker* const here = worker::current();
    for (const waiter_bundle* each = &first; each != nullptr; each = each->next) {
      for (work_item* const waiter : std::span(each->items).first(each->count)) {
        auto& woken = static_cast<fiber&>(*waiter);
        woken.change_state(fiber_state::suspended, fiber_state::ready);
        report_woken(home->events(), woken, here);
      }
    }
  }
  home->inject(first, last);
}

}  // namespace ramie
