// Not for users. What a worker does about deadlines: those that its fibers add, those of others that are busy, and all
// of them while it sleeps. timekeeper.hpp has the steps and their order.
//
// A Worker has:
//   index(), peers()          its number, and how many there are
//   gate(), keeper()          the sleep_gate and the timekeeper of the runtime
//   earliest_of_all()         the earliest deadline in any heap
//   others_reap()             somebody must watch the drivers: there is a timekeeper without deadlines, too
//   interrupt_peer(index)     ends that worker's sleep
//   expire_timers_of(index)   ends the waits in that worker's heap whose time has come
//   notify_of_injector()      [P2]–[P5]
#pragma once

#include <ramie/scheduler/deadline.hpp>

#include "scheduler/timekeeper.hpp"

#include <algorithm>

namespace ramie::detail {

/// Of one worker, and for the thread that holds it.
template <class Worker>
class worker_clock {
 public:
  explicit worker_clock(Worker& of) : m_worker(of) {}
  worker_clock(const worker_clock&) = delete;
  worker_clock& operator=(const worker_clock&) = delete;

  // ---- A busy worker ----

  /// P2 to P5: a timer that is the earliest one in this worker's heap now.
  ///
  /// Most fibers add a timer and wait, and the worker has nothing else to run: then it is the timekeeper itself when it
  /// falls asleep, and nobody need be woken for that. So it owes one only, until it runs something else.
  void added(deadline_ns when) {
    if (!m_worker.gate().anybody_sleeps()) return;  // P2 to P4
    const auto interrupt = [this](unsigned chosen) { m_worker.interrupt_peer(chosen); };
    if (!m_worker.keeper().tell(when, interrupt)) m_owes_timekeeper = true;  // P5
  }
  /// After added(): the worker is about to run something that may take long.
  [[nodiscard]] bool owes_timekeeper() const { return m_owes_timekeeper; }
  void wake_owed_timekeeper() {
    m_owes_timekeeper = false;
    if (needs_timekeeper()) m_worker.notify_of_injector();
  }

  /// Where a poll is due: looks at its own timers and at one other's in turns, because a worker in a long task looks at
  /// none.
  void poll() {
    m_worker.expire_timers_of(m_worker.index());
    if (++m_next >= m_worker.peers()) m_next = 0;
    if (m_next != m_worker.index()) m_worker.expire_timers_of(m_next);
  }

  // ---- Sleeping ----

  /// S3, X3: nobody keeps the time, or watches the drivers, though somebody must.
  [[nodiscard]] bool needs_timekeeper() const {
    return !m_worker.keeper().exists() && (m_worker.others_reap() || m_worker.earliest_of_all() != no_deadline);
  }
  /// K1.
  void begin_sleep() {
    m_earliest = m_worker.earliest_of_all();
    m_keeps_time = m_worker.keeper().begin(m_worker.index(), m_earliest);
    m_owes_timekeeper = false;
  }
  /// From K1 to K2.
  [[nodiscard]] bool keeps_time() const { return m_keeps_time; }
  /// After S3. Looks at the heaps again: a timer that came after K1 may be from a producer that saw no timekeeper yet.
  [[nodiscard]] deadline_ns end_of_sleep() const {
    return m_keeps_time ? std::min(m_earliest, m_worker.earliest_of_all()) : no_deadline;
  }
  /// K2, and the waits of all workers whose time has come.
  void end_sleep() {
    if (!m_keeps_time) return;
    m_keeps_time = false;
    m_worker.keeper().end();
    for (unsigned each = 0; each < m_worker.peers(); ++each) m_worker.expire_timers_of(each);
  }

 private:
  Worker& m_worker;
  bool m_owes_timekeeper = false;
  bool m_keeps_time = false;
  deadline_ns m_earliest = no_deadline;  // at K1
  unsigned m_next = 0;                   // of which other worker it looks at the timers next
};

}  // namespace ramie::detail
