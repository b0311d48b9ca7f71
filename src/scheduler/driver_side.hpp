// Not for users. The worker's side of its driver: which thread the driver is attached to, when the worker polls it, how
// others take its completions, and in what the worker sleeps. docs/architecture.md, "Drivers".
//
// A Worker has:
//   index(), peers()          its number, and how many there are
//   side_of(index)            the driver_side of that worker
//   call_attach(), call_detach()  the driver's, by the thread that holds the worker; the first is false where it fails
//   others_reap()             workers take the completions of one another: a constant of the runtime
//   clock()                   its worker_clock
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/deadline.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/statistics.hpp>

#include "scheduler/reap_turn.hpp"
#include "scheduler/worker_clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace ramie::detail {

/// Of one worker, and, but for what is named below, for the thread that holds it.
template <class Worker, class Provider = native_provider>
class driver_side {
 public:
  static constexpr std::chrono::milliseconds attach_again_after{1};

  /// Null: the worker has no driver but the futex.
  driver_side(Worker& of, idle_driver* of_user)
      : m_worker(of), m_of_user(of_user), m_sleeps_in(of_user != nullptr ? of_user : &m_futex) {}
  driver_side(const driver_side&) = delete;
  driver_side& operator=(const driver_side&) = delete;

  // ---- Threads ----

  /// The thread that has begun to hold the worker; and the same again later, where it has failed. While the driver is
  /// not attached, no other worker may hear of its completions: so the worker tries again after a while, busy or
  /// asleep.
  bool attach() {
    if (m_of_user == nullptr || m_attached != nullptr) return true;
    bool attached = false;
    m_turn.exclude([&] { attached = m_worker.call_attach(); });
    m_sleeps_in.store(attached ? m_of_user : &m_futex, std::memory_order_relaxed);
    if (attached) {
      m_attached = m_of_user;
      m_poll_in_loop = true;  // for completions that came meanwhile
    } else {
      m_attach_again = Provider::now() + attach_again_after;
    }
    return attached;
  }
  /// The thread that gives the worker away, or ends.
  void detach() {
    if (m_attached == nullptr) return;
    m_attached = nullptr;
    m_turn.exclude([&] { m_worker.call_detach(); });
  }
  /// Null: none, or none at this moment.
  [[nodiscard]] idle_driver* attached() const { return m_attached; }

  // ---- Polling ----

  /// Where a poll is due on a fiber's stack. True: the fiber is to go to the run loop, which calls poll_in_loop().
  /// Looks at the others first: its own driver may want each poll.
  [[nodiscard]] bool wants_poll() {
    const bool other_waits = m_worker.others_reap() && other_waits_for_reaper();
    if (other_waits || (m_attached != nullptr ? m_attached->wants_poll() : attach_is_due())) m_poll_in_loop = true;
    return m_poll_in_loop;
  }
  /// A poll was due on a fiber, or the driver has just been attached.
  [[nodiscard]] bool polls_in_loop() const { return m_poll_in_loop; }

  /// On the loop's stack: when wants_poll() has said so, then true; and when there is nothing else to run.
  bool poll_in_loop() {
    const bool was_due = std::exchange(m_poll_in_loop, false);
    if (m_attached == nullptr && was_due && attach_is_due()) attach();
    if (m_attached != nullptr && m_attached->wants_poll()) poll();
    if (std::exchange(m_reaps_next, false)) {
      reap(m_worker.side_of(m_next_reaped));
      look_at_next_driver();
    }
    return was_due;
  }
  /// True if it has made anything ready. The driver is attached.
  bool poll() {
    m_polls.add();
    const bool polled = m_attached->poll();
    return reap(*this) || polled;
  }
  /// Any worker's thread, on its own stack. True if it has made anything ready.
  static bool reap(driver_side& of) {
    bool any = false;
    of.m_turn.take([&] { any = of.m_of_user->reap() || any; });
    return any;
  }
  /// Any thread, where others_reap().
  [[nodiscard]] bool has_completions() const { return m_of_user->has_completions(); }

  // ---- Sleeping ----

  /// K1.
  void begin_sleep() {
    m_worker.clock().begin_sleep();
    if (watches()) m_attached->watch(true);
  }
  /// S4.
  void sleep() {
    deadline_ns until = m_worker.clock().end_of_sleep();
    if (m_attached == nullptr && m_of_user != nullptr) until = std::min(until, deadline_of(m_attach_again));
    m_sleeps_in.load(std::memory_order_relaxed)->wait(time_if_any(until));
  }
  /// K2, and makes ready what has completed. The worker is in no list any more, so that wakes others and not itself.
  /// True: its own driver had something.
  bool end_sleep() {
    if (watches()) m_attached->watch(false);
    m_worker.clock().end_sleep();
    return m_attached != nullptr && poll();
  }
  /// Any thread that has chosen this worker.
  void interrupt() { m_sleeps_in.load(std::memory_order_relaxed)->interrupt(); }

 private:
  [[nodiscard]] bool attach_is_due() const { return Provider::now() >= m_attach_again; }
  [[nodiscard]] bool watches() const {
    return m_attached != nullptr && m_worker.others_reap() && m_worker.clock().keeps_time();
  }

  // Whether the next of the other workers has completions, and has not polled between the last two polls of this
  // worker: it is in a long task, or asleep in vain. Other workers are left alone, so that fibers go on where they
  // were. Two looks at each worker at most: a worker that has completions at every look does not keep this one from the
  // rest.
  bool other_waits_for_reaper() {
    const driver_side& other = m_worker.side_of(m_next_reaped);
    if (&other != this && other.has_completions()) {
      const std::uint64_t polls = other.m_polls.get();
      if (polls == m_polls_then) return m_reaps_next = true;
      if (m_polls_then == never_polled) {
        m_polls_then = polls;
        return false;
      }
    }
    look_at_next_driver();
    return false;
  }
  void look_at_next_driver() {
    m_polls_then = never_polled;
    if (++m_next_reaped == m_worker.peers()) m_next_reaped = 0;
  }

  static constexpr std::uint64_t never_polled = ~std::uint64_t{0};

  Worker& m_worker;
  idle_driver* const m_of_user;
  idle_driver* m_attached = nullptr;
  std::chrono::steady_clock::time_point m_attach_again;  // after a failure: when, at the latest, it tries again
  bool m_poll_in_loop = false;
  bool m_reaps_next = false;                  // the next one, when it polls in the loop
  unsigned m_next_reaped = 0;                 // which other worker's driver it looks at next
  std::uint64_t m_polls_then = never_polled;  // how often that had been polled at the last look

  // Others too.
  futex_idle_driver<Provider> m_futex;
  // Changes while the worker is in no list of sleepers. relaxed: an interrupter has chosen the worker after the worker
  // announced its sleep, and sees what it wrote before that by the gate's lock, or by [K1] and [K3] of the timekeeper.
  // Both drivers are as old as the worker.
  typename Provider::template atomic<idle_driver*> m_sleeps_in;
  reap_turn<Provider> m_turn;
  basic_owned_count<Provider> m_polls;  // of this driver by its own worker
};

}  // namespace ramie::detail
