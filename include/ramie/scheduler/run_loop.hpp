// Not for users.
//
// The run loop of a worker's thread, between fibers: it takes the work that is there, steals, sleeps. The model checker
// runs this loop too, with workers of its own. docs/memory-model.md has the proof; the names of its steps stand at the
// calls.
//
// A Worker has:
//   item_type                  what its queues hold pointers to
//   next_local()               an item of its own queues or its share of the injector; null if there is none
//   next_injected()            its share of the injector alone
//   steal_round()              an item of another worker's queues, after one look at each (or at the near ones for now)
//   look_everywhere()          no steal_round() leaves anybody out until one succeeds
//   execute(item) -> bool      runs it, and all that follows it without coming back here. False: the thread has no
//                              worker any more (hand_over.hpp), and must not touch the one that it had
//   index(), gate()            its number, and the sleep_gate that it shares with the others
//   notify_of_injector()       [P2]–[P5], and counts the worker that it woke
//   sees_work()                [S3], [X3]: whether a queue or driver that it may take from has something, or nobody
//                              keeps the time though somebody must (timekeeper.hpp)
//   finish_if_drained()        ends the run if no fiber is left; see termination.hpp
//   finished()                 whether the run is over
//   should_nap()               whether to wait in its driver before it sleeps, unannounced and for a bounded time
//   nap() -> bool              waits so (nap_pace.hpp). True: its driver has made something ready
//   before_sleep()             [K1], and from now on all forks are made visibly (fork_list.hpp)
//   park()                     [S4]: waits in its idle driver
//   after_sleep()              [K2], ends the waits whose time has come, and makes ready what has completed
//   pace()                     how long it searches: an object with begin() and another_round() -> bool, which pauses
//                              before it says yes
//   search_succeeded()         it has work after a search, or a sleep
// All of it is called by the worker's own thread. The functions may be private, with run_loop<Worker> as a friend.
#pragma once

#include <ramie/scheduler/sleep_gate.hpp>

namespace ramie::detail {

/// One for each time that a thread holds a worker.
template <class Worker>
class run_loop {
  using item = typename Worker::item_type;

 public:
  explicit run_loop(Worker& of) : m_worker(of) {}

  /// Until the run is over, or the worker has left this thread: false.
  bool run() {
    while (item* const found = next()) {
      if (!m_worker.execute(*found)) return false;
    }
    if (m_searching) static_cast<void>(m_worker.gate().stop_searching());
    m_searching = false;
    return true;
  }

  /// Blocks until there is something to run; null when the run is over.
  item* next() {
    for (;;) {
      if (item* const found = m_worker.next_local()) return found_work(), found;
      m_worker.finish_if_drained();
      if (item* const found = search()) return found_work(), found;
      if (m_worker.finished() || !sleep()) return nullptr;
    }
  }

 private:
  // Looks at others' queues for as long as a wake-up costs. Null: found nothing, or enough others are looking.
  item* search() {
    // Once without being counted: a worker that steals again and again would change the gate's word twice each time.
    if (!m_searching) {
      if (item* const found = m_worker.steal_round()) return found;
      m_searching = m_worker.gate().start_searching();
    }
    if (!m_searching) return nullptr;
    m_worker.pace().begin();
    do {
      if (item* const found = m_worker.steal_round()) return found;
      if (item* const found = m_worker.next_injected()) return found;
      m_worker.finish_if_drained();  // or stop() would wait for the end of a long search
      if (m_worker.finished()) return nullptr;
    } while (m_worker.pace().another_round());
    return nullptr;
  }

  // A searcher that has work is busy. If it was the last one, and others sleep, somebody must look after what is left.
  void found_work() {
    if (!m_searching) return;
    m_worker.search_succeeded();
    stop_searching();
  }

  void stop_searching() {
    if (!m_searching) return;
    m_searching = false;
    // X1, X2, X3. Not notify(), which is silent where nobody steals: the work that is left may lie in the injector.
    if (m_worker.gate().stop_searching() && m_worker.sees_work()) m_worker.notify_of_injector();
  }

  // Sleeps until there may be work; see sleep_gate.hpp for the order of the steps. False: the run is over.
  bool sleep() {
    // The last look before the sleep, or the producer that ends it, may mean work of a worker that no round has reached
    // yet. The next round reaches all workers.
    m_worker.look_everywhere();
    if (m_worker.should_nap()) {
      stop_searching();  // X1, X2, X3: while it naps it is busy, and nobody may rely on it
      if (m_worker.nap()) return !m_worker.finished();
    }
    m_worker.gate().announce_sleep(m_worker.index(), m_searching, [&] { m_worker.before_sleep(); });  // S1, K1, S2
    m_searching = true;  // as which it wakes, however it does
    m_worker.finish_if_drained();
    const bool stays_awake = m_worker.finished() || m_worker.sees_work();  // S3
    if (!stays_awake || m_worker.gate().retract_sleep(m_worker.index()) == retraction::already_chosen) {
      m_worker.park();  // S4
      // A driver may return on its own; the gate then still lists this worker. If it was chosen, all is done: either
      // that woke it, or the interrupt is still on its way and makes the next wait return early.
      static_cast<void>(m_worker.gate().retract_sleep(m_worker.index()));
    }
    m_worker.after_sleep();  // K2
    return !m_worker.finished();
  }

  Worker& m_worker;
  bool m_searching = false;  // as the gate counts it
};

}  // namespace ramie::detail
