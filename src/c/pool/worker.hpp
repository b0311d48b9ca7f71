// A kernel thread of the pool, and what future_get does on it.
//
// Between tasks a worker runs the same loop as a runtime's workers (scheduler/run_loop.hpp), with the same sleep gate.
// Wherever it wakes, it moves off the processor of another worker as they do (scheduler/worker_cpus.hpp).
// Within a task, in future_get, it helps:
//   - The task that it waits for has not begun: it begins it, out of its own deque if it is the newest there, and
//     otherwise where it is.
//   - Another worker has begun it: it takes the oldest task of that worker, most likely a part of what it waits for. If
//     that has none and waits in its turn, of the one whom that waits for, and so on.
//   - There is nothing to take: it looks for a while, and then sleeps until the task has ended, or the worker that runs
//     it has submitted something. For the latter each worker has a sleep gate of its own.
// It never takes anything else: what it begins must end before its own task can go on.
// (Leapfrogging: Wagner, Calder, "Leapfrogging: A Portable Technique for Implementing Efficient Futures", PPoPP 1993.)
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/queue/split.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/run_loop.hpp>
#include <ramie/scheduler/search_pace.hpp>
#include <ramie/scheduler/sleep_gate.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/victim_order.hpp>

#include "c/pool/task_future.hpp"

#include <chrono>

namespace ramie::pool {

class alignas(cache_line_size) worker {
 public:
  worker(pool& home, unsigned index, unsigned workers, std::chrono::nanoseconds patience);
  ~worker();
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The calling thread's; null on a thread of no pool. (A task stays on its kernel thread, so this may be remembered.)
  [[nodiscard]] static worker* current();
  [[nodiscard]] pool& home() const { return m_home; }
  [[nodiscard]] unsigned index() const { return m_index; }

  /// Its thread, from the pool's start to its end.
  void run();

  // ---- For the task that runs on it ----

  /// False: no memory.
  [[nodiscard]] bool submit(task_future& made);
  void help_until_ended(task_future& awaited);
  [[nodiscard]] task_future* take_memory();
  /// False: it keeps enough.
  [[nodiscard]] bool keep_memory(task_future& unused);

  // ---- For any thread ----

  [[nodiscard]] bool has_visible_work() const { return m_deque.stealable(); }
  /// Ends its sleep, or the next one.
  void interrupt() noexcept;

  // Totals for detail::termination.
  detail::owned_count spawned, done;

 private:
  friend class detail::run_loop<worker>;
  using item_type = task_future;

  // For the run loop, as it says there.
  task_future* next_local();
  task_future* next_injected();
  task_future* steal_round();
  void look_everywhere() {}
  bool should_nap() { return false; }
  bool nap() { return false; }
  void before_sleep() {}
  void after_sleep() {}
  bool execute(task_future& begun) { return run_begun(begun), true; }
  [[nodiscard]] detail::sleep_gate<>& gate();
  void notify_of_injector() { notify(); }
  [[nodiscard]] bool sees_work() const;
  void finish_if_drained();
  [[nodiscard]] bool finished() const;
  void park();  // in future_get too
  [[nodiscard]] detail::search_pace<>& pace() { return m_pace; }
  void search_succeeded() { m_pace.succeeded(); }

  void run_begun(task_future& begun) noexcept;
  void notify();
  void wake_follower();
  [[nodiscard]] bool begin_awaited(task_future& awaited);
  void put_back(task_future& newest);
  void clear_dead();
  void help(task_future& awaited, unsigned runner);
  void search_anew();
  [[nodiscard]] task_future* steal_from(worker& victim);
  [[nodiscard]] task_future* steal_for_help(unsigned runner);
  void sleep_until_released(const waiter<worker>& mine, worker& runner);
  [[nodiscard]] bool to_run(task_future& taken) const;

  // The owner.
  pool& m_home;
  const unsigned m_index;
  unsigned m_dead = 0;  // roughly, the entries in the deque whose tasks were begun in place
  queue::split<task_future*> m_deque;
  task_future* m_free = nullptr;
  std::size_t m_free_count = 0;
  detail::victim_order m_victims;
  detail::search_pace<> m_pace;

  // Others too.
  alignas(cache_line_size) native_provider::atomic<int> m_helps{
      nobody};  // the worker that runs what this one waits for
  futex_idle_driver<> m_driver;
  detail::sleep_gate<> m_followers;  // those who sleep until this worker submits something
  static constexpr int nobody = -1;
};

}  // namespace ramie::pool
