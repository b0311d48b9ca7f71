// The run loop, on the worker's own kernel thread: take what is there, steal, sleep. What goes on between fibers
// without coming back here is in worker_fibers.cpp.
#include <ramie/scheduler/fast_paths.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

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
  // Once without being counted: a worker that steals again and again would change the gate's word twice each time.
  if (!m_searching) {
    if (work_item* const item = steal_round()) return item;
    m_searching = m_home.m_gate.start_searching();
  }
  if (!m_searching) return nullptr;
  const auto give_up = std::chrono::steady_clock::now() + m_spin;
  do {
    if (work_item* const item = steal_round()) return item;
    if (work_item* const item = next_injected()) return item;
    m_home.finish_if_drained();  // or stop() would wait for the end of a long m_spin
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
  if (m_home.m_gate.stop_searching() && m_home.has_visible_work(*this)) notify_of_injector();
}

work_item* worker::steal_round() {
  if (!m_stealing) return nullptr;
  work_item* found = nullptr;
  m_victims.round([&](unsigned victim) { return (found = steal_from(*m_home.m_workers[victim])) != nullptr; });
  return found;
}

// The oldest task, which promises most work, or a few of them where there are very many; else half of the lane.
work_item* worker::steal_from(worker& victim) {
  m_counters.steal_attempts.add();
  std::array<work_item*, queue::bundle_capacity> batch;
  // Recursive work has a short deque of ever smaller tasks: one is right. A long deque is a burst of equal ones.
  const std::size_t tasks = 1 + std::min<std::size_t>(victim.m_deque.size() / 64, 15);
  queue::batch_result taken = victim.m_deque.pop_top_batch(std::span(batch).first(tasks));
  bool raced = taken.status == queue::steal_status::lost_race;
  if (taken.status != queue::steal_status::item) {
    taken = victim.m_lane.pop_top_batch(batch);
    raced = raced || taken.status == queue::steal_status::lost_race;
  }
  if (taken.status != queue::steal_status::item) {
    (raced ? m_counters.lost_races : m_counters.empties).add();
    return nullptr;
  }
  // Whatever it is, the rest goes to the lane, which keeps the order and needs no memory. It is empty: only this thread
  // pushes, and it steals when there is nothing in it.
  for (work_item* const item : std::span(batch).subspan(1, taken.count - 1))
    static_cast<void>(m_lane.push_bottom(item));
  // It was in no queue for a moment, so this is a push like any other: who looked meanwhile may be asleep by now.
  if (taken.count > 1) notify();
  m_counters.steals.add();
  m_counters.stolen_items.add(taken.count);
  if (m_observer != nullptr) [[unlikely]]
    m_observer->stole(m_index, victim.m_index, taken.count);
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
