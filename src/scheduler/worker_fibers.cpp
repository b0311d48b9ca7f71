// Work on fibers' stacks: choosing the next work of this worker, switching to it, beginning and ending fibers. Most
// switches go from fiber to fiber and never see the run loop.
#include <ramie/base/assert.hpp>
#include <ramie/scheduler/execution_backend.hpp>
#include <ramie/scheduler/fiber_local.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include "scheduler/batches.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/thread_guards.hpp"

#include <array>
#include <exception>
#include <new>
#include <span>
#include <utility>

namespace ramie::detail {
namespace {

// How the sources of work take turns, counted in choices of this worker. Items in the lane come first: a parent whose
// children are done ends before another subtree begins, so recursion runs depth first and takes the memory of its depth
// (decision 6). Every eighth choice begins with the newest task, every second one while there are many: fibers that
// spawn and yield in turns would otherwise outrun their tasks without a bound. Work from elsewhere is polled before
// these, as often as poll_pace.hpp says. And once in oldest_turn the oldest task comes first, which tasks that spawn
// tasks would bury for ever where nobody steals; seldom, because it begins a new subtree, and never while continuations
// may lie among them: their bound on stacks rests on going back to the newest.
constexpr std::uint32_t newest_turn = 8;
constexpr std::uint32_t newest_turn_of_many = 2;
constexpr std::size_t many_tasks = 256;
constexpr std::uint32_t oldest_turn = 1024;
// While pieces are so short that polls are as rare as they get: taking the oldest costs 0.7 us, since the deque makes
// half of its items public for that and takes them back.
constexpr std::uint32_t oldest_turn_of_short = 8192;

// A fiber that has waited long is in no cache. The fibers of a bundle are asked for together, so that their cache
// misses overlap: first the fibers themselves, then the memory that they point to.
void prefetch_fiber(const work_item& item) { __builtin_prefetch(&item, 1); }

void prefetch_stack(const work_item& item) {
  if (item.kind != work_kind::fiber) return;
  const auto& waiting = static_cast<const fiber&>(item);
  const char* const frame = static_cast<const char*>(waiting.execution.machine.stack);
  for (std::size_t line = 0; line < 3; ++line) __builtin_prefetch(frame + line * cache_line_size, 1);
  __builtin_prefetch(&waiting.current_task, 1);
}

// After the user's function. Below zero: it has unlocked what others locked.
void check_owned_locks([[maybe_unused]] fiber& ending) {
#if RAMIE_ASSERTIONS
  if (ending.owned_locks > 0) {
    fail("a fiber ended while it owned a mutex, which nobody can lock any more.",
         "Unlock it before, best by the destructor of a std::unique_lock.");
  }
  ending.owned_locks = 0;
#endif
}

}  // namespace

// The newest task here. Null: there is none.
[[gnu::always_inline]] inline work_item* whole_worker::pop_task() {
  if (work_item * newest; m_deque.pop_quickly(newest)) [[likely]]
    return newest;
  return pop_task_slowly();
}

[[gnu::noinline]] work_item* whole_worker::pop_task_slowly() {
  return m_deque.pop_slowly([this] { notify(); });
}

// The next item of this worker, without a look at other workers.
[[gnu::always_inline]] inline work_item* whole_worker::choose_local() {
  if (m_poll_pace.due()) [[unlikely]] {
    if (const polled now = poll(); now.decides) return now.choice;
  }
  return choose_queued();
}

[[gnu::always_inline]] inline work_item* whole_worker::choose_queued() {
  if (--m_until_newest == 0) [[unlikely]] {
    if (work_item* const item = newest_in_its_turn()) return item;
  }
  if (!m_stealing) {  // a runtime with one worker has no thieves, and pays for none
    if (auto ready = m_lane.pop_bottom_unshared()) return *ready;
  } else {
    if (auto ready = m_lane.pop_bottom()) return *ready;
  }
  if (work_item* const item = pop_task()) return item;
  if (m_shared.injector().size() == 0) [[likely]]
    return nullptr;
  return next_injected();
}

// On the loop's stack, on which drivers are polled: where a poll was due on a fiber, and before a search.
work_item* whole_worker::next_local() {
  if (m_driver == nullptr) return choose_local();
  if (!m_side.polls_in_loop()) {
    if (work_item* const item = choose_local()) return item;
  }
  return poll_in_loop();
}

// The same after a call: while no fiber is ready, both orders begin with the newest task.
[[gnu::always_inline]] inline work_item* whole_worker::choose_after_call() {
  if (m_poll_pace.due()) [[unlikely]] {
    if (const polled now = poll(); now.decides) return now.choice;
  }
  if (m_lane.size() == 0) [[likely]] {
    if (work_item* const newest = pop_task()) return newest;
  }
  return choose_queued();
}

work_item* whole_worker::newest_in_its_turn() {
  m_until_newest = m_deque.size() > many_tasks ? newest_turn_of_many : newest_turn;
  return pop_task();
}

// All polls of a busy worker: the deadlines, which put the fibers that they make ready on the lane, and the injector,
// whose first item comes before this worker's own items. A driver may need more stack than a fiber has: if one wants to
// be polled, nothing is chosen here, the worker goes to its run loop, and all is polled there. Once in oldest_turn the
// oldest task comes instead, and the poll next.
whole_worker::polled whole_worker::poll() {
  if (m_deque.size() == 0) m_has_continuations.store(false, std::memory_order_relaxed);
  m_since_oldest += m_poll_pace.interval();
  const bool short_pieces = m_poll_pace.interval() == poll_pace::longest;
  if (m_since_oldest >= (short_pieces ? oldest_turn_of_short : oldest_turn)) {
    m_since_oldest = 0;
    if (!m_has_continuations.load(std::memory_order_relaxed)) {
      if (work_item* const oldest = m_deque.pop_oldest()) {
        m_poll_pace.put_off();
        return {true, oldest};
      }
    }
  }
  m_poll_pace.polls(ticks());
  if (m_driver != nullptr && m_side.wants_poll()) [[unlikely]]
    return {true, nullptr};
  poll_timers();
  work_item* const injected = next_injected();
  return {injected != nullptr, injected};
}

// On the loop's stack. Fibers whose operations have completed go behind the fibers that were ready. As in poll(), the
// first item from elsewhere is next: else it would never come where fibers are always ready and the driver wants each
// poll.
work_item* whole_worker::poll_in_loop() {
  if (m_side.poll_in_loop()) {
    m_has_polled_in_loop = true;
    poll_timers();
    if (work_item* const injected = next_injected()) return injected;
  }
  if (const auto ready = m_lane.pop_bottom()) return *ready;
  return choose_queued();
}

work_item* whole_worker::next_injected() {
  const auto prefetch = [](std::span<work_item* const> items) {
    for (const work_item* const item : items) prefetch_fiber(*item);
    for (const work_item* const item : items) prefetch_stack(*item);
  };
  return take_injected_batch(m_shared.injector(), m_lane, m_shared.workers().size(), m_stealing, prefetch,
                             [this] { notify_of_injector(); });
}

// ---- Switching ----

// The execution to switch to for `item`; makes its fiber the current one. Null: a task that got no stack; the run loop
// tells it so.
[[gnu::always_inline]] inline context::execution* whole_worker::prepare(work_item& item) {
  if (item.kind == work_kind::fiber) [[likely]] {
    auto& ready = static_cast<fiber&>(item);
    ready.change_state(fiber_state::ready, fiber_state::running);
    m_current = &ready;
    if (m_observer != nullptr) [[unlikely]]
      m_observer->resumed(ready.current_task->id(), m_index);
    return &ready.execution;
  }
  fiber* const fresh = take_fiber(item);
  if (fresh == nullptr) {
    m_refused = &item;
    return nullptr;
  }
  fresh->change_state(fiber_state::free, fiber_state::running);
  m_starting = &item;
  m_current = fresh;
  return &fresh->execution;
}

// The next place to go from a fiber that cannot go on: other work, or the run loop.
[[gnu::always_inline]] inline context::execution& whole_worker::prepare_any(work_item* choice) {
  if (choice != nullptr) [[likely]] {
    if (context::execution* const to = prepare(*choice)) [[likely]]
      return *to;
  }
  m_current = nullptr;
  return m_carrier->loop;
}

// From the run loop into a fiber; comes back when fibers find nothing more to do here. False: the worker has left this
// thread meanwhile.
bool whole_worker::execute(work_item& item) {
  if (!run_item(item)) return false;
  while (m_refused != nullptr) [[unlikely]]
    refuse();
  return true;
}

bool whole_worker::run_item(work_item& item) {
  context::execution* const to = prepare(item);
  if (to == nullptr) return true;
  if (m_clock.owes_timekeeper()) [[unlikely]]
    wake_owed_timekeeper();
  carrier& mine = *m_carrier;
  if (transfer(mine.loop, *to) == nullptr) [[unlikely]] {
    publish_returned(mine);  // H5
    return false;
  }
  arrive();
  return true;
}

[[gnu::always_inline]] inline context::execution& whole_worker::begin_suspend(after_switch action, void* argument) {
  if (!m_forks.empty()) [[unlikely]]
    give_forks_away();
  fiber& self = *m_current;
  if (m_observer != nullptr) [[unlikely]]
    m_observer->suspended(self.current_task->id(), m_index);
  context::execution& to = prepare_any(choose_local());
  self.change_state(fiber_state::running, fiber_state::suspended);
  m_after = {action, &self, argument};
  return to;
}

// Null: nothing else to run.
[[gnu::always_inline]] inline context::execution* whole_worker::begin_yield() {
  if (!m_forks.empty()) [[unlikely]]
    give_forks_away();
  work_item* choice = choose_local();
  // A fiber that yields alone keeps the worker from its run loop, where it would look at the others' queues.
  if (choice == nullptr && !m_side.polls_in_loop()) {
    if (m_poll_pace.just_polled() || std::exchange(m_has_polled_in_loop, false)) choice = steal_round_of_queues();
    if (choice == nullptr) return nullptr;
  }
  fiber& self = *m_current;
  if (m_observer != nullptr) [[unlikely]]
    m_observer->suspended(self.current_task->id(), m_index);
  context::execution& to = prepare_any(choice);
  self.change_state(fiber_state::running, fiber_state::suspended);
  m_after = {[](worker& on, fiber& left, void*) { whole(on).push_ready(left); }, &self, nullptr};
  return &to;
}

// No poll is owed for it: each `next` has come to wait by a suspension of its own, which chose from the queues.
context::execution& whole_worker::begin_yield_to(fiber& next) {
  if (!m_forks.empty()) [[unlikely]]
    give_forks_away();
  fiber& self = *m_current;
  if (m_observer != nullptr) [[unlikely]] {
    m_observer->woken(next.current_task->id(), self.current_task->id());
    m_observer->suspended(self.current_task->id(), m_index);
  }
  next.change_state(fiber_state::suspended, fiber_state::ready);
  context::execution& to = prepare_any(&next);
  self.change_state(fiber_state::running, fiber_state::suspended);
  m_after = {[](worker& on, fiber& left, void*) { whole(on).push_ready(left); }, &self, nullptr};
  return to;
}

// Null: there is no stack.
[[gnu::always_inline]] inline context::execution* whole_worker::begin_child(task& child) {
  if (!m_forks.empty()) [[unlikely]]
    give_forks_away();
  fiber& self = *m_current;
  child.set_stack_class(self.stack_class());
  context::execution* const to = prepare(child);
  if (to == nullptr) [[unlikely]] {
    m_refused = nullptr;  // the caller has it still
    return nullptr;
  }
  count_spawned(child, &self);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->suspended(self.current_task->id(), m_index);
  self.change_state(fiber_state::running, fiber_state::suspended);
  m_after = {[](worker& on, fiber& left, void*) { whole(on).push_continuation(left); }, &self, nullptr};
  return to;
}

// ---- The life of a fiber ----

inline void whole_worker::complete(task& finished) noexcept {
  if (m_observer != nullptr) [[unlikely]] {
    m_observer->signalled(&finished, finished.id());
    m_observer->finished(finished.id(), m_index);
  }
  if (finished.complete()) m_shared.free_task(finished);
  // Last, and on the worker where it is now: the end of a detached task destroys its result, which may have waited.
  // Until then the fiber is not done, or the run could end under it.
  current()->m_counters.done.add_release();
}

// Named after what it begins with. Null: m_refusal says why.
fiber* whole_worker::take_fiber(work_item& first) {
  task& named = first.kind == work_kind::task ? static_cast<task&>(first) : m_shared.fiber_of_calls();
  const std::uint8_t stack_class = named.stack_class();
  try {
    fiber* fresh;
    if (m_backend != nullptr) [[unlikely]] {
      fresh = &create_by_backend(named);
    } else {
      if (stack_class == 0) [[likely]] {
        fresh = m_fibers.take(m_shared.depot(0));
      } else {
        fiber_depot& depot = m_shared.depot(stack_class);
        magazine<fiber> several = depot.refill();
        fresh = several.pop();
        depot.give_back(several);
      }
      context::make_context(fresh->execution.machine, fresh, &fiber_main, fresh);
      fresh->execution.floating_point = m_floating_point;
    }
    fresh->current_task = &named;
    return fresh;
  } catch (...) {
    m_refusal = std::current_exception();
    return nullptr;
  }
}

// In the run loop, where no fiber is current: the closure's captures are destroyed here, by the user's code. It may
// spawn, join and fork: where it has to wait it runs others meanwhile, work_until().
void whole_worker::refuse() noexcept {
  work_item& refused = *std::exchange(m_refused, nullptr);
  std::exception_ptr reason = std::exchange(m_refusal, nullptr);
  if (refused.kind == work_kind::task) {
    auto& never_ran = static_cast<task&>(refused);
    never_ran.refuse(std::move(reason));
    return complete(never_ran);
  }
  auto& never_called = static_cast<call_item&>(refused);
  call_frame alone{.home = m_home, .purpose = call_purpose::refuse, .reason = std::move(reason)};
  never_called.call(never_called, alone);
  if (alone.before_other_work != nullptr) alone.before_other_work(alone);
  count_calls_as_done(1);
}

// After user code, which may have switched.
whole_worker& whole_worker::current_or_fail() {
  whole_worker* const here = current();
  if (here == nullptr && carrier::of_this_thread() != nullptr) {
    fail("a fiber ended without its worker.", "Destroy what has given the worker away (without_worker) first.");
  }
  if (here == nullptr) {
    fail("a fiber ended in a process made by fork().",
         "Only the calling thread exists there, so fibers cannot go on: call _exit() or exec in the child.");
  }
  return *here;
}

bool whole_worker::can_reuse_stack(const work_item* next, const fiber& self) const {
  if (next == nullptr || next->kind == work_kind::fiber || m_backend != nullptr) return false;
  const auto wanted = next->kind == work_kind::task ? static_cast<const task*>(next)->stack_class() : 0;
  return wanted == self.stack_class();
}

// The first function of every fiber on a pooled stack. One fiber runs task after task while the next thing to do is a
// task, or a call.
void whole_worker::fiber_main(void* message, void* argument) {
  auto* on = &whole(*static_cast<worker*>(message));
  auto& self = *static_cast<fiber*>(argument);
  self.execution.tools.arrive();
  work_item* mine = std::exchange(on->m_starting, nullptr);
  on->arrive();
  for (;;) {
    work_item* const next = run_on(self, *mine);
    on = current();
    if (!on->can_reuse_stack(next, self)) on->leave_for_good(self, next);
    mine = next;
    // It begins with the rounding mode of the runtime's maker, not with what the one before has left behind.
    self.execution.floating_point.save();
    on->m_floating_point.load_if_different(self.execution.floating_point);
  }
}

// Returns what to do next, as the next two do.
[[gnu::always_inline]] inline work_item* whole_worker::run_on(fiber& self, work_item& mine) {
  return mine.kind == work_kind::task ? run_task(self, static_cast<task&>(mine))
                                      : run_calls(self, static_cast<call_item&>(mine));
}

[[gnu::always_inline]] inline work_item* whole_worker::run_task(fiber& self, task& mine) {
  self.current_task = &mine;
  if (const whole_worker& on = *current(); on.m_observer != nullptr) [[unlikely]]
    on.m_observer->started(mine.id(), on.m_index);
  mine.run();
  if (self.locals != nullptr) [[unlikely]]
    end_local_values();
  check_owned_locks(self);
  current_or_fail().complete(mine);
  self.current_task = nullptr;  // its joiner may have freed it
  return current()->choose_local();
}

namespace {
// Their destructors may wait, perhaps for what the call has put off.
[[gnu::noinline, gnu::cold]] void end_values_of_call(call_frame& frame) noexcept {
  if (frame.before_other_work != nullptr) frame.before_other_work(frame);
  end_local_values();
}
}  // namespace

// One after another, while there are any. They are counted as done all at once: until then the fiber that runs them is
// not done either, so the run cannot end under them.
work_item* whole_worker::run_calls(fiber& self, call_item& first) {
  whole_worker& first_on = *current();
  self.current_task = &first_on.m_shared.fiber_of_calls();
  const bool takes_others = first_on.can_reuse_stack(&first, self);
  call_frame frame{.home = first_on.m_home};
  call_item* mine = &first;
  for (std::uint64_t calls = 1;; ++calls) {
    mine->call(*mine, frame);
    if (self.locals != nullptr) [[unlikely]]
      end_values_of_call(frame);
    check_owned_locks(self);
    work_item* const next = current_or_fail().choose_after_call();
    if (next == nullptr || next->kind != work_kind::call || !takes_others) {
      if (frame.before_other_work != nullptr) frame.before_other_work(frame);
      self.current_task = nullptr;
      current()->count_calls_as_done(calls);
      return next;
    }
    mine = static_cast<call_item*>(next);
  }
}

void whole_worker::count_calls_as_done(std::uint64_t calls) {
  m_counters.freed.add(calls);
  m_counters.done.add_release(calls);  // last, as in complete()
}

void whole_worker::leave_for_good(fiber& finished, work_item* next) {
  context::execution& to = prepare_any(next);
  finished.change_state(fiber_state::running, fiber_state::free);
  m_after = {[](worker& on, fiber& left, void*) { whole(on).recycle(left); }, &finished, nullptr};
  m_counters.switches.add();
  context::switch_execution<context::leaving::for_good>(*m_exceptions, finished.execution, to,
                                                        static_cast<worker*>(this));
  __builtin_unreachable();
}

void whole_worker::recycle(fiber& finished) noexcept {
  fiber_depot& depot = m_shared.depot(finished.stack_class());
  if (finished.stack_class() == 0) [[likely]]
    return m_fibers.give(&finished, depot);
  magazine<fiber> one;
  one.push(&finished);
  depot.give_back(one);
}

// ---- On an execution backend ----

// The calling thread, which has carried `before`. It has a worker while it carries one, and runs where that is pinned.
void whole_worker::begin_to_carry(const worker* before) noexcept {
  context::set_thread_slot(static_cast<worker*>(this));
  if (this != before) m_shared.pin_thread_of(*this);
}

// On every thread that is left and continued, the loop's among them.
[[gnu::always_inline]] inline void* whole_worker::transfer_by_backend(context::execution& from,
                                                                      context::execution& to) {
  context::set_thread_slot(nullptr);
  void* const message = m_backend->switch_to(from, to, static_cast<worker*>(this));
  whole(*static_cast<worker*>(message)).begin_to_carry(this);
  return message;
}

struct whole_worker::backend_entry {
  // All of a fiber, on its thread: one task, or one call.
  static execution_backend::departure run(fiber& self, void* message) {
    auto& first = whole(*static_cast<worker*>(message));
    first.begin_to_carry(nullptr);
    work_item& mine = *std::exchange(first.m_starting, nullptr);
    first.arrive();
    const thread_guards guards;
    // The thread's maker, or its last fiber, left these two as they are.
    first.m_shared.beginner().load_signal_mask();
    context::floating_point_control begun_with;
    begun_with.save();
    first.m_floating_point.load_if_different(begun_with);
    work_item* const next = run_on(self, mine);
    whole_worker& last = *current();
    last.m_counters.switches.add();
    context::execution& to = last.prepare_any(next);
    self.change_state(fiber_state::running, fiber_state::free);
    context::set_thread_slot(nullptr);
    return {to, static_cast<worker*>(&last)};
  }
};

fiber& whole_worker::create_by_backend(const task& named) {
  return m_backend->create({.entry = &backend_entry::run,
                            .first = named,
                            .stack = m_shared.stacks_of(named.stack_class()),
                            .home = m_home,
                            .stack_class = named.stack_class()});
}

// ---- Making work visible ----

// The queue is bounded and full. A crowd of the oldest tasks goes along to the injector, so that a fiber which spawns
// more than the queue holds takes the lock once for all of them.
[[gnu::always_inline]] inline void whole_worker::overflow(work_item& spawned) noexcept {
  std::array<work_item*, 64> crowd;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t oldest = m_deque.pop_top_batch(std::span(crowd).first(crowd.size() - 1)).count;
  crowd[oldest] = &spawned;
  m_shared.inject(std::span(crowd).first(oldest + 1));
}

// Where a spawned child would lie: this worker finds it when the child has ended, thieves take the oldest first.
void whole_worker::push_continuation(fiber& parent) noexcept {
  parent.change_state(fiber_state::suspended, fiber_state::ready);
  m_has_continuations.store(true, std::memory_order_relaxed);
  try {
    if (!m_deque.push_bottom(&parent)) [[unlikely]]
      return m_shared.inject(parent);
  } catch (const std::bad_alloc&) {
    return m_shared.inject(parent);
  }
  notify();
}

[[gnu::always_inline]] inline void whole_worker::push_ready(fiber& ready) noexcept {
  ready.change_state(fiber_state::suspended, fiber_state::ready);
  if (!m_lane.push_bottom(&ready)) [[unlikely]]
    return m_shared.inject(ready);
  notify();
}

// Items in the injector concern all workers, also where they do not steal.
void whole_worker::notify_of_injector() noexcept {
  if (m_shared.notify()) m_counters.wakeups.add();
}

// ---- Memory ----

void* whole_worker::allocate_slowly(std::size_t size) {
  if (line_cache::serves(size)) return m_lines.take(m_shared.lines());
  if (task_cache::serves(size)) return m_tasks.take(m_shared.tasks());
  return allocate_large_task(size);
}

void whole_worker::free_slowly(void* memory, std::size_t size) noexcept {
  if (line_cache::serves(size)) return m_lines.give(new (memory) task_block, m_shared.lines());
  if (task_cache::serves(size)) return m_tasks.give(new (memory) task_block, m_shared.tasks());
  free_large_task(memory);
}

}  // namespace ramie::detail

// ---- What the functions in worker.hpp call ----

namespace ramie {

using detail::whole;

worker::worker(runtime& home, unsigned index, const options& chosen, detail::other_deque* deque,
               const detail::idle_word<>& idle)
    : m_forks(/*always_wanted=*/chosen.events != nullptr || chosen.fork_stealing == fork_stealing::continuation),
      m_backend(chosen.backend),
      m_observer(chosen.events),
      m_home(home),
      m_index(index),
      m_id_stride(chosen.workers + 1),
      m_stealing(chosen.stealing && chosen.workers > 1),
      m_fork_stealing(chosen.fork_stealing),
      m_idle(idle),
      m_deque(deque, chosen.queue_settings.capacity) {}

context::execution& worker::begin_suspend(after_switch action, void* argument) {
  return whole(*this).begin_suspend(action, argument);
}
context::execution* worker::begin_yield() { return whole(*this).begin_yield(); }
context::execution& worker::begin_yield_to(fiber& next) { return whole(*this).begin_yield_to(next); }
context::execution* worker::begin_child(task& child) { return whole(*this).begin_child(child); }
void* worker::transfer_by_backend(context::execution& from, context::execution& to) {
  return whole(*this).transfer_by_backend(from, to);
}
std::exception_ptr worker::no_stack_reason() noexcept { return whole(*this).no_stack_reason(); }
void worker::push_ready(fiber& ready) noexcept { whole(*this).push_ready(ready); }
void worker::overflow(work_item& spawned) noexcept { whole(*this).overflow(spawned); }
void worker::wake_another() noexcept { whole(*this).notify_of_injector(); }
void* worker::allocate_slowly(std::size_t size) { return whole(*this).allocate_slowly(size); }
void worker::free_slowly(void* memory, std::size_t size) noexcept { whole(*this).free_slowly(memory, size); }

}  // namespace ramie
