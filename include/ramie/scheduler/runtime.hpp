// A set of workers and the fibers that run on them.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/injector.hpp>
#include <ramie/scheduler/carriers.hpp>
#include <ramie/scheduler/fiber_depot.hpp>
#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/sleep_gate.hpp>
#include <ramie/scheduler/start_signal.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/strangers.hpp>
#include <ramie/scheduler/task_pool.hpp>
#include <ramie/scheduler/termination.hpp>
#include <ramie/scheduler/timekeeper.hpp>
#include <ramie/scheduler/worker.hpp>
#include <ramie/scheduler/worker_cpus.hpp>

#include <array>
#include <exception>
#include <memory>
#include <span>
#include <sys/types.h>
#include <vector>

namespace ramie {

namespace detail {
class profile_file;
}

/// Any number may exist in a process, one after another or at once; each can be started and stopped any number of
/// times. Must not be destroyed before the handles of its fibers.
class runtime {
 public:
  /// Checks the options and makes the workers; starts no thread. Throws bad_option, std::bad_alloc, spawn_error.
  explicit runtime(const options& chosen = {});
  /// As stop(). What was spawned and never ran, because nothing was started, is dropped. Ends the process, with a
  /// sentence, if handles of its fibers are left, or if one of its fibers calls it. But exit() that a fiber or a task
  /// of a pool has called waits for no runtime that is running: each is left as it is, and the process ends.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Spawns a fiber from any thread, a fiber of this runtime or another, before or after start(). Throws
  /// std::bad_alloc, bad_option. About 15 ns from a fiber of this runtime; through a lock from elsewhere.
  /// Returns a join_handle<Result>; see spawn.hpp, where it is defined.
  template <class Function>
  auto spawn(Function&& function);
  template <class Function>
  auto spawn(const spawn_options& how, Function&& function);

  // start(), stop() and run() are called by one thread at a time, and not by a fiber. In a child made by fork() a
  // runtime that was running is the parent's: start() and run() throw misuse, stop() and the destructor leave its
  // fibers alone.

  /// Runs everything that was spawned, on the calling thread and workers - 1 more, until no fiber is left. Not from a
  /// fiber. Throws std::system_error if a thread cannot be started; nothing has run then.
  void run();

  /// Starts all workers on threads of their own and returns. Throws std::system_error as run().
  void start();
  /// Waits until no fiber is left, those spawned meanwhile included, and so for all that they wait for, deadlines too;
  /// then ends the threads. A program that goes on spawning from outside keeps it waiting. Not from a fiber of this
  /// runtime: throws misuse.
  void stop();

  /// Whether this process runs it: from start() to stop(), or while run() runs. Any thread; a guess by the time it is
  /// read, unless the caller is the one who starts and stops it.
  [[nodiscard]] bool is_running() const;

  [[nodiscard]] unsigned worker_count() const { return static_cast<unsigned>(m_workers.size()); }
  [[nodiscard]] std::vector<worker_statistics> statistics() const;
  /// How stacks of the default size are guarded.
  [[nodiscard]] stack::guard_kind stack_guards() const { return m_depots[0]->arena().guards(); }
  /// Stacks of the default size: in use or kept for reuse, and the address space they lie in.
  [[nodiscard]] stack::usage stack_usage() const { return m_depots[0]->arena().counts(); }

  // ---- For spawn.hpp ----

  /// Memory for a task or a call.
  [[nodiscard]] void* allocate_task(std::size_t size);
  void free_task_memory(void* memory, std::size_t size) noexcept;
  /// Destroys the task and frees its memory. Ends the process if it holds an exception that nobody took.
  void free_task(task& finished) noexcept;
  /// Queues a task; throws, and has not queued it, on bad options or without memory.
  void submit(task& spawned, const spawn_options& how);
  void submit(task& spawned);
  /// The same for a call.
  void submit(call_item& fresh);
  void submit_without_memory(call_item& fresh) noexcept;

  /// This process is a child, made by fork(), of the one that runs it: none of its threads exists here.
  [[nodiscard]] bool inherited_by_fork() const;

  // ---- For the wake path ----

  [[nodiscard]] observer* events() const { return m_options.events; }
  void inject(work_item& item) noexcept;
  void inject(std::span<work_item* const> items) noexcept;  // at least one
  void inject(waiter_bundle& first, waiter_bundle& last) noexcept;

 private:
  friend class worker;

  void begin(bool calling_thread_works, bool draining);
  void end();
  void finish_if_drained();
  [[nodiscard]] bool has_visible_work(const worker& for_whom) const;
  [[nodiscard]] detail::deadline_ns earliest_deadline() const;
  [[nodiscard]] bool needs_timekeeper() const;
  [[nodiscard]] bool has_completions() const noexcept;
  [[nodiscard]] bool tell_timekeeper(detail::deadline_ns when) noexcept;
  template <class Push>
  void inject_by(Push&& push) noexcept;
  bool notify() noexcept {
    return m_gate.notify([this](unsigned chosen) {
      if (const worker* const here = worker::current(); here != nullptr && &here->home() == this)
        m_places.still_here(here->index());
      m_workers[chosen]->interrupt();
    });
  }
  void wake_everyone() noexcept;
  void carry(worker& first);
  void hold(worker& mine, detail::carrier& by);
  void pin_thread_of(const worker& held) const noexcept;
  void attach_at_begin(worker& mine) noexcept;
  void give_up_begin(worker* held_here) noexcept;
  static void* hold_when_started(void* argument);
  static void* carry_given(void* argument);
  [[nodiscard]] bool start_carrier(worker& first) noexcept;
  void drop_what_never_ran() noexcept;
  [[nodiscard]] std::uint8_t stack_class_of(bytes size);
  [[nodiscard]] detail::fiber_depot& depot(std::uint8_t stack_class) { return *m_depots[stack_class]; }
  [[nodiscard]] bytes guard_of(bytes stack_size, std::uint8_t stack_class) const;
  [[nodiscard]] stack::config stacks_of(std::uint8_t stack_class) const;
  [[nodiscard]] std::unique_ptr<detail::fiber_depot> make_depot(std::uint8_t stack_class);

  // Class 0 is the default size; class n is 16 KiB << (n - 1), made when it is first asked for.
  static constexpr std::size_t stack_classes = 24;
  static constexpr std::size_t smallest_class = std::size_t{16} << 10U;

  std::unique_ptr<detail::profile_file> m_profile;
  const options m_options;
  const detail::observed_mark m_observed;
  std::vector<unsigned> m_cpus;
  futex_lock<> m_depots_lock;  // for making one; a task is queued after the depot it needs was made
  std::array<std::unique_ptr<detail::fiber_depot>, stack_classes> m_depots;
  detail::task_depot m_task_depot;
  detail::line_depot m_line_depot;
  std::vector<std::unique_ptr<worker>> m_workers;
  bool m_drivers_are_reaped = false;     // by other workers; since it was made
  detail::call_task m_call_task{*this};  // what fibers say they run while they run calls

  // Running: from begin() to end(), by the thread that calls them.
  futex_lock<> m_threads_lock;  // while it runs: fibers that give their worker away start threads too
  std::vector<native_provider::thread> m_threads;
  detail::carriers<worker> m_carriers;
  // The process that began; 0: not running. relaxed: others ask only whether it is another process than theirs, which
  // is so from before their first instruction on, or never. But 0 is released, and acquired in is_running(): whoever
  // destroys the runtime after that sees its run behind it.
  native_provider::atomic<pid_t> m_running_in{0};
  detail::start_signal<> m_start_signal;
  detail::park_word<> m_attached;       // of one thread after the other, before the signal
  std::exception_ptr m_attach_failure;  // of the last of them

  detail::worker_cpus m_places;
  sleep_gate<> m_gate;
  detail::timekeeper<> m_timekeeper;
  queue::injector<work_item> m_injector;
  alignas(cache_line_size) detail::termination<> m_termination;
  native_provider::atomic<std::uint64_t> m_freed_outside{0};  // by threads that are no worker of this runtime
  detail::strangers<> m_strangers;                            // in inject() at this moment
};

extern "C" const char RAMIE_LIBRARY_NAME;

namespace detail {
[[gnu::used]] inline const char* const linked_library = &RAMIE_LIBRARY_NAME;  // see base/config.hpp

/// Throws misuse: `call` would wait for `what`, or hand it work, in a child made by fork().
[[noreturn]] void runs_in_the_parent(const char* call, const char* what);

/// Where spawn() goes on a thread that runs no fiber: see scheduler_init().
extern constinit native_provider::atomic<runtime*> process_runtime;
}  // namespace detail

}  // namespace ramie
