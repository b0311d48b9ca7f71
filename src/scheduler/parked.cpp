// The wake path.
#include <ramie/scheduler/parked.hpp>

#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie {
namespace {

void report_woken(observer* events, const fiber& woken, const worker* here) {
  if (events == nullptr) [[likely]]
    return;
  const fiber* const waker = here != nullptr ? here->current_fiber() : nullptr;
  events->woken(woken.current_task->id(), waker != nullptr ? waker->current_task->id() : 0);
}

// A chain this long is worth spreading over all workers at once.
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
  woken.home().inject(&woken, &woken, 1);
}

void wake_all(runtime* home, work_item* first, work_item* last, std::size_t count) noexcept {
  if (home == nullptr || count <= few) {
    for (work_item* each = first; count > 0; --count) {
      work_item* const next = each->next;  // the waiter may be gone after wake()
      wake(*each);
      each = next;
    }
    return;
  }
  if (RAMIE_ASSERTIONS != 0 || home->events() != nullptr) {
    const worker* const here = worker::current();
    work_item* each = first;
    for (std::size_t i = 0; i < count; ++i, each = each->next) {
      auto& woken = static_cast<fiber&>(*each);
      woken.change_state(fiber_state::suspended, fiber_state::ready);
      report_woken(home->events(), woken, here);
    }
  }
  home->inject(first, last, count);
}

}  // namespace ramie
