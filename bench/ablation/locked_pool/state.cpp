#include "ablation/locked_pool/state.hpp"

#include <ramie/base/cache_line.hpp>
#include <ramie/topology/affinity.hpp>

#include <cerrno>
#include <functional>
#include <malloc.h>

namespace bench::locked {
namespace {

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

pool_shape shape_of(const locked_pool_options& chosen, std::size_t pool, std::size_t worker) {
  const std::size_t alignment = chosen.padding ? ramie::cache_line_size : pool_shape::least_alignment;
  const std::size_t workers = rounded_up(pool, alignment);
  const std::size_t stride = rounded_up(worker, alignment);
  return {.alignment = alignment,
          .workers = workers,
          .stride = stride,
          .bytes = workers + stride * static_cast<std::size_t>(chosen.nthreads)};
}

void* memory_for(const pool_shape& shape) {
  void* const memory = std::aligned_alloc(shape.alignment, shape.bytes);
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

pool_state::pool_state(const engine_functions& of, const locked_pool_options& chosen, const pool_shape& shape)
    : ::locked_pool{&of}, m_chosen(chosen), m_idle(static_cast<unsigned>(chosen.nthreads)), m_shape(shape) {}

bool pool_state::contains(const void* address) const {
  const void* const begin = this;
  const void* const end = reinterpret_cast<const char*>(this) + m_shape.bytes;
  return !std::less<>()(address, begin) && std::less<>()(address, end);
}

bool pool_state::start_workers(void* (*main)(void*)) {
  if (m_chosen.keep_heap) static_cast<void>(::mallopt(M_TRIM_THRESHOLD, -1));
  if (m_chosen.pin) {
    try {
      m_cpus = ramie::topology::allowed_cpus();
    } catch (const std::bad_alloc&) {
      errno = ENOMEM;
      return false;
    }
  }
  for (int i = 0; i < m_chosen.nthreads; ++i) {
    worker_state& each = state_of(i);
    if (m_chosen.reuse_futures) each.spare.keep_some();
    const int error = ::pthread_create(&each.thread, nullptr, main, &each);
    if (error == 0) continue;
    {
      const hold mine(m_tasks.lock);
      m_idle.end();
    }
    join(i);
    errno = error;
    return false;
  }
  return true;
}

void pool_state::finish_workers() {
  {
    const hold mine(m_tasks.lock);
    m_shutting_down = true;
    end_if_idle();
  }
  join(m_chosen.nthreads);
  gate::wait_until_empty(m_end);
  for (int i = 0; i < m_chosen.nthreads; ++i) gate::wait_until_empty(state_of(i).end);
}

void pool_state::join(int workers) {
  for (int i = 0; i < workers; ++i) static_cast<void>(::pthread_join(state_of(i).thread, nullptr));
}

void pool_state::pin(std::size_t worker) const {
  // May be refused, where the CPU has been taken away since: then it runs where it can.
  if (!m_cpus.empty()) static_cast<void>(ramie::topology::pin_current_thread(m_cpus[worker % m_cpus.size()]));
}

void pool_state::push_from_outside(listed& added) {
  const hold mine(m_tasks.lock);
  m_tasks.push(added);
  m_idle.call_one();
}

void pool_state::call_worker() {
  const hold mine(m_tasks.lock);
  m_idle.call_one();
}

// With the pool's lock.
void pool_state::end_if_idle() {
  if (m_shutting_down && m_idle.all_inside() && m_tasks.empty()) m_idle.end();
}

bool pool_state::sleep(int worker) {
  {
    const hold mine(m_tasks.lock);
    if (!m_tasks.empty()) return true;
    m_idle.enter();
    end_if_idle();
  }
  const bool found = others_have_tasks(worker);
  const hold mine(m_tasks.lock);
  if (found) {
    m_idle.leave();
  } else {
    m_idle.sleep(m_tasks.lock);
  }
  return !m_idle.over();
}

bool pool_state::others_have_tasks(int worker) {
  for (int i = 0; i < m_chosen.nthreads; ++i) {
    if (i == worker) continue;
    task_list& its = state_of(i).tasks;
    const hold lock(its.lock);
    if (!its.empty()) return true;
  }
  return false;
}

}  // namespace bench::locked
