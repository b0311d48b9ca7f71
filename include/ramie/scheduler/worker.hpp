// One worker: an object that a kernel thread holds while it runs fibers, not the thread itself. This class has the
// members for functions that are inlined into the user's; src/scheduler/whole_worker.hpp has the rest.
//
// Only the holder touches the bottom of its queues. A function that may switch can come back on another kernel thread,
// so after every such call the worker is looked up again; suspend() returns it.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/context/execution.hpp>
#include <ramie/context/thread_slot.hpp>
#include <ramie/scheduler/call_item.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/fork_frame.hpp>
#include <ramie/scheduler/idle_word.hpp>
#include <ramie/scheduler/observer.hpp>
#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/scheduler/task_deque.hpp>
#include <ramie/scheduler/task_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

namespace ramie {

struct driver_kind;
class idle_driver;
class runtime;

class alignas(cache_line_size) worker {
 public:
  /// Runs on the far side of a switch, when `left` has completely left its stack: the place, and the only one, from
  /// which a fiber may become visible to others. It may wake fibers, `left` among them; it must not switch, and must
  /// not touch `argument` after it has made `left` visible, if that lies on left's stack.
  using after_switch = void (*)(worker& on, fiber& left, void* argument);

  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The calling thread's worker; null on a thread that runs no fibers. Never remember it across a switch.
  [[nodiscard, gnu::always_inline]] static worker* current() { return static_cast<worker*>(context::thread_slot()); }

  [[nodiscard]] runtime& home() const { return m_home; }
  [[nodiscard]] unsigned index() const { return m_index; }
  [[nodiscard]] fiber* current_fiber() const { return m_current; }
  /// The driver that options.drivers made for it, while that is attached to the calling thread; else null.
  [[nodiscard]] idle_driver* driver() const { return m_attached; }
  [[nodiscard]] const driver_kind* kind_of_driver() const { return m_kind_of_driver; }

  // ---- For the fiber that runs on this worker ----

  /// Leaves the current fiber and runs something else. action(worker, fiber, argument) arranges that it goes on.
  /// Returns the worker on which it goes on.
  ///
  /// Inlined, and its callers should be too: the processor predicts a `ret` by the call that it saw last, which after a
  /// switch was another fiber's. So whatever stands between the switch and user code as a function of its own costs
  /// one misprediction, about 6 ns, a switch.
  worker& suspend(after_switch action, void* argument);

  /// Lets others run; returns the worker on which the fiber goes on. At once if there is nothing else.
  worker& yield();

  /// The same for the benefit of one, `next`, which goes on here and now: a fiber of this runtime that has left its
  /// stack, and that the caller alone may wake.
  worker& yield_to(fiber& next);

  /// Begins `child` at once, as a fiber; the current one goes on when that waits or ends, or on whatever worker takes
  /// it meanwhile. False: there is no stack for it, and child has not been touched; no_stack_reason() is the exception.
  [[nodiscard]] bool run_child_first(task& child);
  [[nodiscard]] std::exception_ptr no_stack_reason() noexcept;

  using fork_list = detail::fork_list<detail::fork_frame>;
  /// Of the current fiber.
  [[nodiscard]] fork_list& forks() { return m_forks; }
  /// Where the list says that somebody may want work: makes a task of the oldest fork if so. `joined` is the newest, to
  /// be unlinked, or null. False: it has been taken, and must be waited for.
  [[nodiscard]] bool answer_requests(detail::fork_frame* joined) noexcept;
  [[nodiscard]] fork_stealing stealing_of_forks() const { return m_fork_stealing; }

  // ---- For this worker's thread ----

  /// A new task, counted as spawned. Throws std::bad_alloc; the task is then not queued.
  void push_task(task& spawned);
  /// The same for a call.
  void push_call(detail::call_item& fresh);
  /// A fiber that can go on.
  void push_ready(fiber& ready) noexcept;
  /// Memory for a task or a call.
  [[nodiscard]] void* allocate_task(std::size_t size);
  void free_task_memory(void* memory, std::size_t size) noexcept;
  /// Its memory belongs to its parent, which reports its end to nobody.
  void count_as_freed() { m_counters.freed.add(); }

 protected:
  worker(runtime& home, unsigned index, const options& chosen, detail::other_deque* deque,
         const detail::idle_word<>& idle);
  ~worker() = default;

  void count_spawned(task& spawned, const fiber* parent);
  void notify();
  void* transfer(context::execution& from, context::execution& to);
  void arrive();

  struct pending_action {
    after_switch action = nullptr;
    fiber* left = nullptr;
    void* argument = nullptr;
  };

  // For a switch.
  fork_list m_forks;  // first: offsets of none and eight bytes, in every fork and join
  fiber* m_current = nullptr;
  pending_action m_after;
  context::exception_state* m_exceptions = nullptr;  // of the thread that holds the worker
  execution_backend* const m_backend;
  observer* const m_observer;
  runtime& m_home;
  const unsigned m_index;
  const unsigned m_id_stride;  // ids of fibers: worker i gives i + 1, i + 1 + stride, …
  const bool m_stealing;
  const fork_stealing m_fork_stealing;
  const detail::idle_word<>& m_idle;  // of the runtime's gate
  idle_driver* m_attached = nullptr;
  const driver_kind* m_kind_of_driver = nullptr;  // while it is attached
  detail::line_cache m_lines;
  detail::task_cache m_tasks;
  detail::task_deque m_deque;
  detail::worker_counters m_counters;

 private:
  // Defined in the library, by whole_worker.
  context::execution& begin_suspend(after_switch action, void* argument);
  context::execution* begin_yield();
  context::execution& begin_yield_to(fiber& next);
  context::execution* begin_child(task& child);
  [[gnu::cold]] void* transfer_by_backend(context::execution& from, context::execution& to);
  void* allocate_slowly(std::size_t size);
  void free_slowly(void* memory, std::size_t size) noexcept;
  void overflow(work_item& spawned) noexcept;
  [[gnu::cold]] void wake_another() noexcept;

  worker& leave(context::execution& from, context::execution& to);
  void push_counted(work_item& spawned);
};

// ---- The switch, as it is inlined wherever a fiber waits. Its target is chosen out of line, before it ----

[[gnu::always_inline]] inline void* worker::transfer(context::execution& from, context::execution& to) {
  m_counters.switches.add();
  if (m_backend != nullptr) [[unlikely]]
    return transfer_by_backend(from, to);
  return context::switch_execution(*m_exceptions, from, to, this);
}

// The far side: the fiber that was left can now be published.
[[gnu::always_inline]] inline void worker::arrive() {
  if (m_after.action != nullptr) {
    const pending_action after = m_after;
    m_after.action = nullptr;
    after.action(*this, *after.left, after.argument);
  }
}

[[gnu::always_inline]] inline worker& worker::leave(context::execution& from, context::execution& to) {
  auto& now_on = *static_cast<worker*>(transfer(from, to));
  now_on.arrive();
  return now_on;
}

[[gnu::always_inline]] inline worker& worker::suspend(after_switch action, void* argument) {
  context::execution& self = m_current->execution;
  return leave(self, begin_suspend(action, argument));
}

[[gnu::always_inline]] inline worker& worker::yield() {
  context::execution& self = m_current->execution;
  context::execution* const to = begin_yield();
  return to != nullptr ? leave(self, *to) : *this;
}

[[gnu::always_inline]] inline worker& worker::yield_to(fiber& next) {
  context::execution& self = m_current->execution;
  return leave(self, begin_yield_to(next));
}

[[gnu::always_inline]] inline bool worker::run_child_first(task& child) {
  context::execution& self = m_current->execution;
  context::execution* const to = begin_child(child);
  if (to == nullptr) [[unlikely]]
    return false;
  leave(self, *to);
  return true;
}

// ---- A spawn: a block from the worker's cache, a push, a look at the idle word ----

inline void* worker::allocate_task(std::size_t size) {
  if (detail::line_cache::serves(size)) {
    if (void* const block = m_lines.take_quickly()) [[likely]]
      return block;
  } else if (detail::task_cache::serves(size)) {
    if (void* const block = m_tasks.take_quickly()) [[likely]]
      return block;
  }
  return allocate_slowly(size);
}

inline void worker::free_task_memory(void* memory, std::size_t size) noexcept {
  if (detail::line_cache::serves(size)) {
    if (m_lines.give_quickly(new (memory) detail::task_block)) [[likely]]
      return;
  } else if (detail::task_cache::serves(size)) {
    if (m_tasks.give_quickly(new (memory) detail::task_block)) [[likely]]
      return;
  }
  free_slowly(memory, size);
}

inline void worker::notify() {
  if (m_stealing && m_idle.somebody_sleeps()) [[unlikely]]
    wake_another();
}

// Before it is pushed: from then on it may run and be counted as done, and done must never run ahead of spawned.
inline void worker::count_spawned(task& spawned, const fiber* parent_fiber) {
  const std::uint64_t before = m_counters.spawned.get();
  spawned.set_id(before * m_id_stride + m_index + 1);
  if (m_observer != nullptr) [[unlikely]] {
    const task* const parent = parent_fiber != nullptr ? parent_fiber->current_task : nullptr;
    m_observer->spawned(spawned.id(), parent != nullptr ? parent->id() : 0);
  }
  m_counters.spawned.add();
}

inline void worker::push_task(task& spawned) {
  count_spawned(spawned, m_current);
  push_counted(spawned);
}

inline void worker::push_call(detail::call_item& fresh) {
  m_counters.spawned.add();
  push_counted(fresh);
}

inline void worker::push_counted(work_item& spawned) {
  try {
    if (!m_deque.push_bottom(&spawned)) [[unlikely]]
      overflow(spawned);
  } catch (...) {
    m_counters.done.add_release();
    m_counters.freed.add();
    throw;
  }
  notify();
}

}  // namespace ramie
