// The run loop, on the worker's own kernel thread: take what is there, steal, sleep. What goes on between fibers
// without coming back here is in worker_fibers.cpp.
#include <ramie/scheduler/fast_paths.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

#include <array>

namespace ramie {
void worker::run() {
  while (work_item* const item = next()) execute(*item);
  if (m_searching) static_cast<void>(m_home.m_gate.stop_searching());
  m_searching = false;
}

// Blocks until there is something to run; null when the run is over.
work_item* worker::next() {
  for (;;) {
    if (work_item* const item = next_local()) return found_work(), item;
    m_home.finish_if_drained();
    if (work_item* const item = search()) return found_work(), item;
    if (m_home.finished() || !sleep()) return nullptr;
  }
}

// Looks at others' queues for as long as a wake-up costs. Null: found nothing, or enough others are looking.
work_item* worker::search() {
  if (!m_searching) m_searching = m_home.m_gate.start_searching();
  if (!m_searching) return nullptr;
  const auto give_up = std::chrono::steady_clock::now() + m_spin;
  do {
    if (work_item* const item = steal_round()) return item;
    if (work_item* const item = next_injected()) return item;
    if (m_home.finished()) return nullptr;
    m_backoff.pause();
  } while (std::chrono::steady_clock::now() < give_up);
  return nullptr;
}

// A searcher that has work is busy. If it was the last one, and others sleep, somebody must look after what is left.
void worker::found_work() {
  if (!m_searching) return;
  m_searching = false;
  m_backoff.reset();
  // Not notify(), which is silent where nobody steals: what is left may lie in the injector.
  if (m_home.m_gate.stop_searching() && m_home.has_visible_work(*this) && m_home.notify()) m_counters.wakeups.add();
}

work_item* worker::steal_round() {
  if (!m_stealing) return nullptr;
  work_item* found = nullptr;
  m_victims.round([&](unsigned victim) { return (found = steal_from(*m_home.m_workers[victim])) != nullptr; });
  return found;
}

// The oldest task, which promises most work; else half of the lane.
work_item* worker::steal_from(worker& victim) {
  m_counters.steal_attempts.add();
  const queue::steal_result<work_item*> task = victim.m_deque.pop_top();
  std::array<work_item*, 64> batch;
  queue::batch_result fibers;
  if (task.status == queue::steal_status::item) {
    batch[0] = task.item;
    fibers = {queue::steal_status::item, 1};
  } else {
    const std::size_t room = std::min(batch.size(), detail::fiber_lane::capacity - m_lane.size());
    fibers = victim.m_lane.pop_top_batch(std::span(batch).first(room));
  }
  if (fibers.status != queue::steal_status::item) {
    const bool raced = fibers.status == queue::steal_status::lost_race || task.status == queue::steal_status::lost_race;
    (raced ? m_counters.lost_races : m_counters.empties).add();
    return nullptr;
  }
  for (std::size_t i = 1; i < fibers.count; ++i) static_cast<void>(m_lane.push_bottom(batch[i]));
  m_counters.steals.add();
  m_counters.stolen_items.add(fibers.count);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->stole(m_index, victim.m_index, fibers.count);
  return batch[0];
}

// Sleeps until there may be work; see sleep_gate.hpp for the order of the steps. False: the run is over.
bool worker::sleep() {
  m_home.m_gate.announce_sleep(m_index, m_searching);
  m_searching = true;  // as which it wakes, however it does
  m_home.finish_if_drained();
  if (m_home.finished() || m_home.has_visible_work(*this)) {
    if (m_home.m_gate.retract_sleep(m_index) == retraction::done) return !m_home.finished();
  }
  if (m_observer != nullptr) [[unlikely]]
    m_observer->worker_sleeps(m_index);
  m_counters.parks.add();
  m_driver->wait(std::nullopt);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->worker_wakes(m_index);
  // A driver may return on its own; the gate then still lists this worker. If it was chosen, all is done: either that
  // woke it, or the interrupt is still on its way and makes the next wait return early.
  static_cast<void>(m_home.m_gate.retract_sleep(m_index));
  return !m_home.finished();
}

}  // namespace ramie
