// What a spawn runs through, inlined into it: one look-up of the worker, a block from its cache, a push, a look at the
// sleep gate. All of it takes the worker as an argument; the general entries, for threads that have none, are in
// runtime.cpp.
#pragma once

#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie {

inline void* worker::allocate_task(std::size_t size) {
  if (detail::line_depot::pooled(size)) return m_lines.take(m_home.m_line_depot);
  if (!detail::task_depot::pooled(size)) return detail::task_depot::allocate_large(size);
  return m_tasks.take(m_home.m_task_depot);
}

inline void worker::free_task_memory(void* memory, std::size_t size) noexcept {
  if (detail::line_depot::pooled(size)) return m_lines.give(new (memory) detail::task_block, m_home.m_line_depot);
  if (!detail::task_depot::pooled(size)) return detail::task_depot::free_large(memory);
  m_tasks.give(new (memory) detail::task_block, m_home.m_task_depot);
}

inline void worker::notify() noexcept {
  if (m_stealing && m_home.notify()) m_counters.wakeups.add();
}

// What lies in the injector concerns all workers, also where they do not steal.
inline void worker::notify_of_injector() noexcept {
  if (m_home.notify()) m_counters.wakeups.add();
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

inline void worker::push_call(call_item& fresh) {
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
