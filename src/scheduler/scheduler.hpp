// The state that the workers of one runtime share. runtime.hpp is its face to the user.
//
//   scheduler.cpp       makes and destroys it: workers, stacks, memory; spawns and wake-ups from outside
//   scheduler_run.cpp   begins and ends runs: threads that hold workers
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/injector.hpp>
#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/sleep_gate.hpp>
#include <ramie/scheduler/start_signal.hpp>
#include <ramie/scheduler/termination.hpp>
#include <ramie/scheduler/worker_cpus.hpp>

#include "scheduler/fiber_depot.hpp"
#include "scheduler/foreign_callers.hpp"
#include "scheduler/inherited_state.hpp"
#include "scheduler/task_pool.hpp"
#include "scheduler/timekeeper.hpp"
#include "scheduler/whole_worker.hpp"

#include <array>
#include <exception>
#include <memory>
#include <span>
#include <sys/types.h>
#include <vector>

namespace ramie::detail {

class profile_file;

class scheduler {
 public:
  scheduler(runtime& owner, const options& chosen);
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  [[nodiscard]] static scheduler& of(const runtime& owner) { return owner.shared(); }

  // ---- Spawning and waking. Any thread ----

  void submit(task& spawned);
  void submit(call_item& fresh);
  void submit_without_memory(call_item& fresh) noexcept;
  void inject(work_item& item) noexcept;
  void inject(std::span<work_item* const> items) noexcept;  // at least one
  void inject(waiter_bundle& first, waiter_bundle& last) noexcept;
  [[nodiscard]] void* allocate_task(std::size_t size);
  void free_task_memory(void* memory, std::size_t size) noexcept;
  void free_task(task& finished) noexcept;
  bool notify() noexcept;
  void wake_everyone() noexcept;

  // ---- Runs: one thread at a time ----

  void begin(bool calling_thread_works, bool draining);
  void run();
  void stop();
  [[nodiscard]] bool is_running() const;
  [[nodiscard]] bool inherited_by_fork() const;

  // ---- For workers ----

  [[nodiscard]] runtime& owner() const { return m_owner; }
  [[nodiscard]] const options& chosen() const { return m_options; }
  [[nodiscard]] worker_cpus& places() { return m_places; }
  [[nodiscard]] sleep_gate<>& gate() { return m_gate; }
  [[nodiscard]] timekeeper<>& keeper() { return m_timekeeper; }
  [[nodiscard]] queue::injector<work_item>& injector() { return m_injector; }
  [[nodiscard]] bool finished() const { return m_termination.finished(); }
  [[nodiscard]] bool drivers_are_reaped() const { return m_drivers_are_reaped; }
  [[nodiscard]] task_depot& tasks() { return m_tasks; }
  [[nodiscard]] line_depot& lines() { return m_lines; }
  [[nodiscard]] waiting_threads<whole_worker>& without_worker() { return m_without_worker; }
  /// Of the thread that began the run, and so of those that it made.
  [[nodiscard]] const inherited_state& beginner() const { return m_beginner; }
  /// The task that fibers name as their own while they run calls.
  [[nodiscard]] task& fiber_of_calls() { return m_fiber_of_calls; }
  [[nodiscard]] const std::vector<std::unique_ptr<whole_worker>>& workers() const { return m_workers; }
  [[nodiscard]] bool has_visible_work(const whole_worker& for_whom) const;
  [[nodiscard]] bool has_completions() const noexcept;
  void finish_if_drained();
  /// The calling thread, to where the worker is pinned.
  void pin_thread_of(const worker& held) const noexcept;
  /// A thread that holds worker after worker, beginning with that one. False: none can be had.
  [[nodiscard]] bool start_carrier(whole_worker& first) noexcept;

  // ---- Stacks ----

  [[nodiscard]] std::uint8_t stack_class_of(bytes size);
  [[nodiscard]] fiber_depot& depot(std::uint8_t stack_class) const { return *m_depots[stack_class]; }
  [[nodiscard]] stack::config stacks_of(std::uint8_t stack_class) const;

 private:
  template <class Push>
  void inject_by(Push&& push) noexcept;
  void end();
  void carry(whole_worker& first);
  void hold(whole_worker& mine, carrier& by);
  void attach_at_begin(whole_worker& mine) noexcept;
  void give_up_begin(whole_worker* held_here) noexcept;
  static void* hold_when_started(void* argument);
  static void* carry_given(void* argument);
  void drop_what_never_ran() noexcept;
  [[nodiscard]] bytes guard_of(bytes stack_size, std::uint8_t stack_class) const;
  [[nodiscard]] std::unique_ptr<fiber_depot> make_depot(std::uint8_t stack_class);

  // Class 0 is the default size; class n is 16 KiB << (n - 1), made when it is first asked for.
  static constexpr std::size_t stack_classes = 24;
  static constexpr std::size_t smallest_class = std::size_t{16} << 10U;

  runtime& m_owner;
  std::unique_ptr<profile_file> m_profile;
  const options m_options;
  const observed_mark m_observed;
  std::vector<unsigned> m_cpus;  // for options.pin; else empty
  futex_lock<> m_depots_lock;    // for making one; a task is queued after the depot it needs was made
  std::array<std::unique_ptr<fiber_depot>, stack_classes> m_depots;
  task_depot m_tasks;
  line_depot m_lines;
  std::vector<std::unique_ptr<whole_worker>> m_workers;
  bool m_drivers_are_reaped = false;  // by other workers; since it was made
  call_task m_fiber_of_calls;

  // Running: from begin() to end(), by the thread that calls them.
  futex_lock<> m_threads_lock;  // while it runs: fibers that give their worker away start threads too
  std::vector<native_provider::thread> m_threads;
  waiting_threads<whole_worker> m_without_worker;
  inherited_state m_beginner;
  // The process that began; 0: not running. relaxed: other threads ask only whether it is another process than theirs,
  // which is so from before their first instruction on, or never. But 0 is released, and acquired in is_running(): a
  // thread that destroys the runtime after that sees the end of its run.
  native_provider::atomic<pid_t> m_running_in{0};
  start_signal<> m_start_signal;
  park_word<> m_attached;               // of one thread after the other, before the signal
  std::exception_ptr m_attach_failure;  // of the last of them

  worker_cpus m_places;
  sleep_gate<> m_gate;
  timekeeper<> m_timekeeper;
  queue::injector<work_item> m_injector;
  alignas(cache_line_size) termination<> m_termination;
  native_provider::atomic<std::uint64_t> m_freed_outside{0};  // by threads that are no worker of this runtime
  foreign_callers<> m_foreign_callers;                        // in inject() at this moment
};

}  // namespace ramie::detail
